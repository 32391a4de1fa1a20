# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian packages, by CPack: tracelets, libtracelet0, libtracelet-dev

file(STRINGS packaging/changelog entry LIMIT_COUNT 1)
if(NOT entry MATCHES "^tracelets \\(${PROJECT_VERSION}-([0-9a-z.]+)\\) ")
	message(FATAL_ERROR
		"packaging/changelog does not begin with version ${PROJECT_VERSION}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${CMAKE_MATCH_1})
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tracelets)
set(CPACK_PACKAGE_CONTACT
	"The tracelets maintainers <maintainers@tracelets.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/tree.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/scripts.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE
	OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tools library dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tracelets)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libtracelet0 (= ${version})")
if(NOT TOOL_SUFFIX)
	# it has files of the same names; from 0.31 on these have a suffix
	set(CPACK_DEBIAN_TOOLS_PACKAGE_CONFLICTS "libbpf-tools (<< 0.31)")
endif()
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
	"trace files, programs, disks, calls and functions of a system
The perf-tools collection, written anew in C: small tools that answer one
question each about a running system, such as which files a program opens,
which programs are run, how long disk I/O takes, or what a function of the
kernel is called with.

They use what the kernel has built in (tracepoints, probes and ring buffers
below /sys/kernel/tracing), and need neither a compiler nor BPF. What is
lost is counted, and nothing is left behind when they end.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtracelet0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# loaded when a tool asks for what they know
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS
	"libbpf1, libelf1, liblzma5, libseccomp2, libstdc++6")
file(CONFIGURE OUTPUT packaging/shlibs
	CONTENT "libtracelet 0 libtracelet0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
	${CMAKE_BINARY_DIR}/packaging/shlibs ${CMAKE_SOURCE_DIR}/packaging/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
	"library of tools that trace through tracefs
What the tracelets tools share: private instances of the kernel's tracing,
raw ring buffers in the order of time, filters, probes, symbols, output as
text, JSON and CSV, and the removal of every trace of a run.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtracelet-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtracelet0 (= ${version})")
set(CPACK_DEBIAN_DEV_DESCRIPTION
	"library of tools that trace through tracefs (development files)
What the tracelets tools share, as a library: a tool is its options, its
columns, and a handler for each event.

This package has the header, the manual page, and the file for pkg-config.")

include(CPack)
