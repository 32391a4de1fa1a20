# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests, workloads of the guest tests, fuzz targets, and all that ctest runs.

# check(LABEL NAME COMMAND...): a test of ctest, in the source tree
function(check label name)
	add_test(NAME ${label}.${name} COMMAND ${ARGN}
		WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
	set_tests_properties(${label}.${name} PROPERTIES LABELS ${label}
		SKIP_RETURN_CODE 77 TIMEOUT 3600)
endfunction()

# needs(BUILD TEST...): stage, the tools as they are installed, or dev, those with
# sanitizers and the unit tests
function(needs build)
	set_property(TEST ${ARGN} APPEND PROPERTY FIXTURES_REQUIRED ${build})
endfunction()

# ---- all that ctest runs, in whichever build -------------------------------
enable_testing()
set(dev ${CMAKE_SOURCE_DIR}/build/dev)
check(build dev tests/dev)
check(build stage tests/stage)
check(build fuzz tests/fuzz/run build)
check(build flags tests/flags)
foreach(build dev stage fuzz)
	set_tests_properties(build.${build} PROPERTIES FIXTURES_SETUP ${build}
		PROCESSORS 2)
endforeach()

file(GLOB UNIT_SOURCES CONFIGURE_DEPENDS tests/unit/*.c)
foreach(source IN LISTS UNIT_SOURCES)
	cmake_path(GET source STEM test)
	string(REGEX REPLACE "^test_" "" name ${test})
	check(unit ${name} ${dev}/tests/unit/${test})
	needs(dev unit.${name})
	set_tests_properties(unit.${name} PROPERTIES
		ENVIRONMENT CMOCKA_MESSAGE_OUTPUT=TAP)
endforeach()

file(GLOB captures CONFIGURE_DEPENDS tests/golden/*/captures)
foreach(file IN LISTS captures)
	cmake_path(GET file PARENT_PATH kernel)
	cmake_path(GET kernel FILENAME kernel)
	check(golden ${kernel} tests/golden/run ${kernel})
	set_tests_properties(golden.${kernel} PROPERTIES COST 50)
	needs(stage golden.${kernel})
	needs(dev golden.${kernel})
endforeach()

file(GLOB files CONFIGURE_DEPENDS tests/guest/*.sh)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
foreach(file IN LISTS files)
	file(STRINGS ${file} functions REGEX "^host_.*\\(\\)")
	if(functions)
		cmake_path(GET file STEM tool)
		check(host ${tool} tests/host ${tool})
		set_tests_properties(host.${tool} PROPERTIES
			ENVIRONMENT TL_TOOLS=${dev})
		needs(dev host.${tool})
	endif()
endforeach()

foreach(source IN LISTS TOOL_SOURCES)
	cmake_path(GET source STEM tool)
	file(STRINGS tests/guest/${tool}.sh functions REGEX "^first_(check|row)\\(\\)")
	list(LENGTH functions number)
	if(NOT number EQUAL 2)
		message(FATAL_ERROR "tests/guest/${tool}.sh needs first_check() and first_row()")
	endif()
endforeach()

check(metrics captures tests/metrics)
needs(stage metrics.captures)

foreach(name help man-options man-names doc-commands doc-code)
	check(docs ${name} tests/${name})
	needs(stage docs.${name})
endforeach()
foreach(name clang-format clang-tidy codespell cppcheck mandoc shellcheck)
	check(lint ${name} tests/lint ${name})
endforeach()
check(lint layers tests/layers)
needs(dev lint.clang-tidy lint.layers)
needs(stage lint.mandoc)
set_tests_properties(lint.clang-tidy PROPERTIES COST 100 PROCESSORS 2)
foreach(shell bash zsh fish)
	check(package completion-${shell} tests/completion ${shell})
	needs(stage package.completion-${shell})
endforeach()
check(package debian tests/package)
check(package asked tests/asked)
set_tests_properties(package.debian PROPERTIES COST 40)

file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS tests/fuzz/*.c)
foreach(source IN LISTS FUZZ_SOURCES)
	cmake_path(GET source STEM target)
	string(REGEX REPLACE "^fuzz_" "" name ${target})
	check(fuzz ${name} tests/fuzz/run ${target})
	needs(fuzz fuzz.${name})
endforeach()

# ---- unit tests ------------------------------------------------------------
if(TL_TESTS)
	pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
	foreach(source IN LISTS UNIT_SOURCES)
		cmake_path(GET source STEM test)
		add_executable(${test} ${source})
		target_compile_definitions(${test} PRIVATE _GNU_SOURCE
			TL_FIXTURES="${CMAKE_SOURCE_DIR}/tests/unit/fixtures")
		target_link_libraries(${test} PRIVATE
			tracelet-objects PkgConfig::CMOCKA m)
		set_target_properties(${test} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
	endforeach()
endif()

# ---- what the guest tests run ----------------------------------------------
if(TL_WORK)
	file(GLOB WORK_SOURCES CONFIGURE_DEPENDS tests/guest/work/*.c)
	# of another word size: by the same compiler, or by one that is asked for
	list(REMOVE_ITEM WORK_SOURCES ${CMAKE_SOURCE_DIR}/tests/guest/work/calls32.c
		${CMAKE_SOURCE_DIR}/tests/guest/work/hosts32.c)
	set(calls32 ${CMAKE_BINARY_DIR}/tests/work/calls32)
	set(cc32 false)
	if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
		set(cc32 ${CMAKE_C_COMPILER} -m32)
	elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
		set(cc32 arm-linux-gnueabihf-gcc -marm -march=armv7-a -mfloat-abi=soft
			-fomit-frame-pointer)
	endif()
	list(APPEND cc32 -O1 -nostdlib -static -ffreestanding -fno-pie -no-pie
		-fno-stack-protector ${CMAKE_SOURCE_DIR}/tests/guest/work/calls32.c)
	file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/work)
	execute_process(COMMAND ${cc32} -o ${calls32} RESULT_VARIABLE no32
		OUTPUT_QUIET ERROR_QUIET)
	if(no32 EQUAL 0)
		add_custom_command(OUTPUT ${calls32} COMMAND ${cc32} -o ${calls32}
			DEPENDS tests/guest/work/calls32.c VERBATIM)
		add_custom_target(work-calls32 ALL DEPENDS ${calls32})
	endif()
	# with a 32-bit C library, whose headers and start files there need not be
	set(libc32 /lib32/libc.so.6)
	if(no32 EQUAL 0 AND EXISTS ${libc32} AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
		set(hosts32 ${CMAKE_BINARY_DIR}/tests/work/hosts32)
		add_custom_command(OUTPUT ${hosts32}
			COMMAND ${CMAKE_C_COMPILER} -m32 -O1 -nostdlib -ffreestanding -fno-pie -no-pie
				-fno-stack-protector -Wl,--dynamic-linker=/lib/ld-linux.so.2 -o ${hosts32}
				${CMAKE_SOURCE_DIR}/tests/guest/work/hosts32.c ${libc32}
			DEPENDS tests/guest/work/hosts32.c VERBATIM)
		add_custom_target(work-hosts32 ALL DEPENDS ${hosts32})
	endif()
	# each of their functions is in stacks, on arm64 also what calls none
	set(framed -O0 -fno-omit-frame-pointer -U_FORTIFY_SOURCE)
	check_c_compiler_flag(-mno-omit-leaf-frame-pointer HAVE_LEAF_FRAMES)
	if(HAVE_LEAF_FRAMES)
		list(APPEND framed -mno-omit-leaf-frame-pointer)
	endif()
	set_source_files_properties(tests/guest/work/naps.c tests/guest/work/burn.c
		tests/guest/work/made.c tests/guest/work/paths.c tests/guest/work/remap.c
		PROPERTIES
		COMPILE_OPTIONS "${framed}")
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
	# for gethostlatency: with the system's C library, and with musl's
	set(hosts tests/guest/work/hosts.c)
	add_executable(work-hosts-shared ${hosts})
	target_compile_definitions(work-hosts-shared PRIVATE _GNU_SOURCE)
	target_link_libraries(work-hosts-shared PRIVATE pthread)
	set_target_properties(work-hosts-shared PROPERTIES OUTPUT_NAME hosts-shared
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/work)
	if(NOT CMAKE_CROSSCOMPILING)
		find_program(MUSL_GCC musl-gcc)
	endif()
	if(MUSL_GCC)
		set(musl ${CMAKE_BINARY_DIR}/tests/work/hosts-musl)
		add_custom_command(OUTPUT ${musl}
			COMMAND ${MUSL_GCC} -O1 -D_GNU_SOURCE -o ${musl} ${CMAKE_SOURCE_DIR}/${hosts}
			COMMAND ${MUSL_GCC} -O1 -D_GNU_SOURCE -static -o ${musl}-static
				${CMAKE_SOURCE_DIR}/${hosts}
			DEPENDS ${hosts} VERBATIM)
		add_custom_target(work-hosts-musl ALL DEPENDS ${musl})
	endif()
	# for uprobe: in all the ways that this machine's tools can
	file(GLOB SHOP_SOURCES CONFIGURE_DEPENDS tests/guest/work/uprobe/*)
	include(CheckLanguage)
	check_language(CXX)
	add_custom_command(OUTPUT uprobe.stamp
		COMMAND ${CMAKE_COMMAND} -E env STRIP=${CMAKE_STRIP} OBJCOPY=${CMAKE_OBJCOPY}
			CFLAGS=$<$<BOOL:${CMAKE_SYSROOT}>:--sysroot=${CMAKE_SYSROOT}>
			${CMAKE_SOURCE_DIR}/tests/guest/work/uprobe/make
			${CMAKE_BINARY_DIR}/tests/work/uprobe ${CMAKE_C_COMPILER}
			"$<$<BOOL:${CMAKE_CXX_COMPILER}>:${CMAKE_CXX_COMPILER}>"
		COMMAND ${CMAKE_COMMAND} -E touch uprobe.stamp
		DEPENDS ${SHOP_SOURCES} VERBATIM)
	add_custom_target(work-uprobe ALL DEPENDS uprobe.stamp)
	# in languages other than C: those that this machine has compilers of
	file(GLOB LANGUAGE_SOURCES CONFIGURE_DEPENDS tests/guest/work/languages/*)
	set(goarch "")
	if(CMAKE_CROSSCOMPILING)
		string(REPLACE "aarch64" "arm64" goarch ${CMAKE_SYSTEM_PROCESSOR})
	endif()
	add_custom_command(OUTPUT languages.stamp
		COMMAND ${CMAKE_COMMAND} -E env GOARCH=${goarch}
			CXXFLAGS=$<$<BOOL:${CMAKE_SYSROOT}>:--sysroot=${CMAKE_SYSROOT}>
			${CMAKE_SOURCE_DIR}/tests/guest/work/languages/make
			${CMAKE_BINARY_DIR}/tests/work/languages
			"$<$<BOOL:${CMAKE_CXX_COMPILER}>:${CMAKE_CXX_COMPILER}>"
		COMMAND ${CMAKE_COMMAND} -E touch languages.stamp
		DEPENDS ${LANGUAGE_SOURCES} VERBATIM)
	add_custom_target(work-languages ALL DEPENDS languages.stamp)
endif()

if(TL_FUZZ)
	file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS tests/fuzz/*.c)
	target_compile_options(tracelet-flags INTERFACE -fsanitize=fuzzer-no-link)
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
