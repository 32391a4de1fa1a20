# SPDX-License-Identifier: GPL-2.0-or-later
# Flags of a build without sanitizers: optimisation, and hardening. What CFLAGS,
# LDFLAGS or the compiler's own defaults settle stays as it is, as with
# dpkg-buildflags; the name of the build type is of no matter.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_C_FLAGS MATCHES "(^| )-O")
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING
		"RelWithDebInfo, Release, Debug, or None: as CFLAGS say" FORCE)
endif()
# -O3 unrolls loops of a few turns: more instructions per row, and a fifth
# more code
string(REPLACE -O3 -O2 CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

# holds(RESULT CONDITION): of the preprocessor, with all flags of this build
function(holds result condition)
	set(CMAKE_TRY_COMPILE_CONFIGURATION ${CMAKE_BUILD_TYPE})
	try_compile(${result} SOURCE_FROM_CONTENT holds.c
		"#if !(${condition})\n#error\n#endif\nint main(void) { return 0; }\n"
		NO_CACHE)
	return(PROPAGATE ${result})
endfunction()

# add_flag(compile|link FLAG): unless it is unknown, or the user's flags name it,
# with "no" or another value too
function(add_flag kind flag)
	string(REGEX REPLACE "^-f(no-)?|-strong$|^.*-z," "" matter ${flag})
	if("${CMAKE_C_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}" MATCHES "(-f|,)(no-?)?${matter}")
		return()
	endif()
	string(MAKE_C_IDENTIFIER "HAVE${flag}" known)
	if(kind STREQUAL "link")
		check_linker_flag(C ${flag} ${known})
	else()
		check_c_compiler_flag(${flag} ${known})
	endif()
	if(${known})
		cmake_language(CALL add_${kind}_options ${flag})
	endif()
endfunction()

holds(optimised "defined __OPTIMIZE__")
if(optimised)
	# the way of a record crosses modules, which are small
	if(NOT DEFINED CMAKE_INTERPROCEDURAL_OPTIMIZATION
			AND NOT CMAKE_C_FLAGS MATCHES "-f(no-)?lto")
		check_ipo_supported(RESULT CMAKE_INTERPROCEDURAL_OPTIMIZATION OUTPUT _)
	endif()
	# exported functions too
	add_flag(compile -fno-semantic-interposition)
	add_flag(compile -fno-plt)
endif()

if(TL_HARDEN)
	# it needs optimisation; some compilers define it by themselves
	holds(unfortified "defined __OPTIMIZE__ && !defined _FORTIFY_SOURCE")
	if(unfortified)
		add_compile_definitions(_FORTIFY_SOURCE=2)
	endif()
	holds(fixed "!defined __PIE__")
	if(fixed AND NOT CMAKE_C_FLAGS MATCHES "-fno-pi[ce]")
		include(CheckPIESupported)
		check_pie_supported(LANGUAGES C)
		set(TL_PIE ON)	# of the tools: static programs have none
	endif()
	add_flag(compile -fstack-protector-strong)
	add_flag(link LINKER:-z,relro)
	add_flag(link LINKER:-z,now)
endif()
add_link_options(LINKER:--as-needed)
