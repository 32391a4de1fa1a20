# SPDX-License-Identifier: GPL-2.0-or-later
# Toolchain of a build for another architecture, with Debian's cross compilers:
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DTL_TRIPLET=aarch64-linux-gnu
#         -DCMAKE_SYSROOT=DIRECTORY
# Libraries and headers are those of the directory.  QEMU's user emulation runs what
# the build itself has to run.
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${TL_TRIPLET})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TL_TRIPLET)
set(CMAKE_C_COMPILER ${TL_TRIPLET}-gcc)
find_program(TL_CXX ${TL_TRIPLET}-g++)
if(TL_CXX)
	set(CMAKE_CXX_COMPILER ${TL_CXX})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
	${CMAKE_SYSROOT}/usr/lib/${TL_TRIPLET}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
