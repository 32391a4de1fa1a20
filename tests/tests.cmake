# SPDX-License-Identifier: GPL-2.0-or-later

# ---- tests -----------------------------------------------------------------
if(TL_TESTS)
	enable_testing()
	pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
	file(GLOB UNIT_SOURCES CONFIGURE_DEPENDS tests/unit/*.c)
	foreach(source IN LISTS UNIT_SOURCES)
		cmake_path(GET source STEM test)
		add_executable(${test} ${source})
		target_compile_definitions(${test} PRIVATE _GNU_SOURCE
			TL_FIXTURES="${CMAKE_SOURCE_DIR}/tests/unit/fixtures")
		target_link_libraries(${test} PRIVATE
			tracelet-objects PkgConfig::CMOCKA)
		set_target_properties(${test} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
		add_test(NAME ${test} COMMAND ${test})
	endforeach()
endif()

# ---- what the guest tests run ----------------------------------------------
if(TL_TESTS AND NOT TL_SANITIZE)
	file(GLOB WORK_SOURCES CONFIGURE_DEPENDS tests/guest/work/*.c)
	# of another word size, where the compiler can do that without more
	list(REMOVE_ITEM WORK_SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/work/calls32.c)
	set(FLAGS32 -m32 -O1 -nostdlib -static -ffreestanding -fno-pie -no-pie
		-fno-stack-protector)
	if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
		try_compile(HAVE_32BIT ${CMAKE_BINARY_DIR}/try32
			${CMAKE_SOURCE_DIR}/tests/guest/work/calls32.c
			COMPILE_DEFINITIONS ${FLAGS32} LINK_OPTIONS ${FLAGS32})
	endif()
	if(HAVE_32BIT)
		add_executable(work-calls32 tests/guest/work/calls32.c)
		set_target_properties(work-calls32 PROPERTIES OUTPUT_NAME calls32
			INTERPROCEDURAL_OPTIMIZATION OFF
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/work)
		target_compile_options(work-calls32 PRIVATE ${FLAGS32} -U_FORTIFY_SOURCE)
		target_link_options(work-calls32 PRIVATE ${FLAGS32})
	endif()
	foreach(source IN LISTS WORK_SOURCES)
		cmake_path(GET source STEM work)
		add_executable(work-${work} ${source})
		target_compile_definitions(work-${work} PRIVATE _GNU_SOURCE)
		# without a loader, which opens files of its own
		target_link_options(work-${work} PRIVATE -static)
		target_link_libraries(work-${work} PRIVATE pthread)
		set_target_properties(work-${work} PROPERTIES OUTPUT_NAME ${work}
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/work)
	endforeach()
	# for uprobe: in all the ways that this machine's tools can
	file(GLOB SHOP_SOURCES CONFIGURE_DEPENDS tests/guest/work/uprobe/*)
	include(CheckLanguage)
	check_language(CXX)
	add_custom_command(OUTPUT uprobe.stamp
		COMMAND ${CMAKE_SOURCE_DIR}/tests/guest/work/uprobe/make
			${CMAKE_BINARY_DIR}/tests/work/uprobe ${CMAKE_C_COMPILER}
			"$<$<BOOL:${CMAKE_CXX_COMPILER}>:${CMAKE_CXX_COMPILER}>"
		COMMAND ${CMAKE_COMMAND} -E touch uprobe.stamp
		DEPENDS ${SHOP_SOURCES} VERBATIM)
	add_custom_target(work-uprobe ALL DEPENDS uprobe.stamp)
endif()

if(TL_FUZZ)
	file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS tests/fuzz/*.c)
	target_compile_options(tracelet-objects PRIVATE -fsanitize=fuzzer-no-link)
	# for fuzz_replay: all tools as a library, with a main() each
	add_library(replay-tools SHARED)
	set_target_properties(replay-tools PROPERTIES LINKER_LANGUAGE C)
	set(TOOLS_INC "")
	foreach(source IN LISTS TOOL_SOURCES)
		cmake_path(GET source STEM tool)
		string(MAKE_C_IDENTIFIER ${tool} id)
		add_library(replay-${tool} OBJECT ${source})
		set_target_properties(replay-${tool} PROPERTIES
			C_VISIBILITY_PRESET default POSITION_INDEPENDENT_CODE ON)
		target_include_directories(replay-${tool} PRIVATE lib)
		target_compile_definitions(replay-${tool} PRIVATE _GNU_SOURCE
			main=replay_${id})
		target_compile_options(replay-${tool} PRIVATE
			-fsanitize=fuzzer-no-link -Wno-missing-prototypes)
		target_sources(replay-tools PRIVATE $<TARGET_OBJECTS:replay-${tool}>)
		string(APPEND TOOLS_INC "TOOL(${id}, \"${tool}\")\n")
	endforeach()
	file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/fuzz/tools.inc CONTENT "${TOOLS_INC}")
	foreach(source IN LISTS FUZZ_SOURCES)
		cmake_path(GET source STEM target)
		add_executable(${target} ${source})
		target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
		target_link_libraries(${target} PRIVATE tracelet-objects)
		target_link_options(${target} PRIVATE -fsanitize=fuzzer)
		if(target STREQUAL "fuzz_replay")
			target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/fuzz)
			target_link_libraries(${target} PRIVATE replay-tools)
		endif()
		set_target_properties(${target} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fuzz)
	endforeach()
endif()
