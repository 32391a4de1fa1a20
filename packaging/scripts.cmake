# SPDX-License-Identifier: GPL-2.0-or-later
# Takes out the scripts that CPack puts into a package with a library, to call
# ldconfig: dpkg does that once for all packages, by the trigger.

foreach(package IN LISTS CPACK_PACKAGE_FILES)
	if(NOT package MATCHES "/libtracelet0_[^/]*\\.deb$")
		continue()
	endif()
	set(tree ${CPACK_TEMPORARY_DIRECTORY}/repacked)
	file(REMOVE_RECURSE ${tree})
	execute_process(COMMAND dpkg-deb --raw-extract ${package} ${tree}
		COMMAND_ERROR_IS_FATAL ANY)
	file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
	execute_process(COMMAND dpkg-deb --root-owner-group --build ${tree} ${package}
		OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
