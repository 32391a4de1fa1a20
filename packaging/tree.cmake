# SPDX-License-Identifier: GPL-2.0-or-later
# What Debian wants of a package's files: compressed manual pages and
# changelogs, and a copyright.  CPack runs it before it makes the packages.

set(here ${CMAKE_CURRENT_LIST_DIR})

function(compress)
	execute_process(COMMAND gzip -9n ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN ITEMS tools library dev)
	string(TOUPPER ${component} name)
	set(name ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
	set(tree ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
	set(doc ${tree}/share/doc/${name})
	file(COPY ${here}/copyright DESTINATION ${doc})
	file(COPY_FILE ${here}/changelog ${doc}/changelog.Debian)
	if(EXISTS ${doc}/CHANGELOG.md)
		file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
		compress(${doc}/changelog)
	endif()
	file(GLOB_RECURSE pages ${tree}/share/man/*)
	compress(${doc}/changelog.Debian ${pages})
endforeach()
