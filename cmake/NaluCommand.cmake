# The command nalu, its manual and its shell completions.
#
# The command contains all modules, as in SwiftPM's build, and does not need libnalu at run time. It uses the Swift
# interface, which the shared libraries do not export.
#
# swift-argument-parser is the package that find_package(ArgumentParser) finds, otherwise the sources in the directory
# FETCHCONTENT_SOURCE_DIR_ARGUMENTPARSER, otherwise it is downloaded. A build without a network needs one of the first two.
include(FetchContent)
# The version is named by its commit, because a tag can be moved.
set(argument_parser_version 1.8.2)
FetchContent_Declare(ArgumentParser
    GIT_REPOSITORY https://github.com/apple/swift-argument-parser
    GIT_TAG 436bde4bb9489201ca6662f5cf94ec45fa8e244e
    # This directory does not exist, so nothing is added here. Below it is added in a way that installs nothing.
    SOURCE_SUBDIR only-sources
    FIND_PACKAGE_ARGS CONFIG)
FetchContent_MakeAvailable(ArgumentParser)
if(NOT TARGET ArgumentParser)
    if(NOT EXISTS "${argumentparser_SOURCE_DIR}/Sources/ArgumentParser/CMakeLists.txt")
        message(FATAL_ERROR "The command needs the sources of swift-argument-parser ${argument_parser_version}, which are not "
            "in \"${argumentparser_SOURCE_DIR}\": set FETCHCONTENT_SOURCE_DIR_ARGUMENTPARSER to a directory that has them "
            "(`swift package resolve` puts them into .build/checkouts/swift-argument-parser), or configure with "
            "-DNALU_BUILD_COMMAND=OFF to build the libraries alone.")
    endif()
    set(BUILD_EXAMPLES OFF)
    set(BUILD_TESTING OFF)
    set(BUILD_SHARED_LIBS OFF)
    # The toolchain contains these.
    set(CMAKE_DISABLE_FIND_PACKAGE_dispatch ON)
    set(CMAKE_DISABLE_FIND_PACKAGE_Foundation ON)
    add_subdirectory("${argumentparser_SOURCE_DIR}" "${argumentparser_BINARY_DIR}" EXCLUDE_FROM_ALL)
    foreach(module IN ITEMS ArgumentParser ArgumentParserToolInfo)
        target_compile_options(${module} PRIVATE -whole-module-optimization "SHELL:-num-threads 0" -suppress-warnings)
    endforeach()
    # The static Foundation needs libraries that only its static modules name.
    if(NALU_STATIC_SWIFT_RUNTIME)
        target_compile_options(ArgumentParser PRIVATE -static-stdlib)
    endif()
endif()

# Windows and audio output of nalu play by SDL2, which the first call loads.
nalu_c_module(CSDL LOADS)

file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS Sources/NaluCommand/*.swift)
add_executable(nalu_command ${command_sources})
nalu_swift_module(nalu_command MODULE NaluCommand)
# CMake passes to the compiler only the directories of the modules that are listed here.
target_link_libraries(nalu_command PRIVATE
    NaluMedia Nalu NaluBitstream NaluBase NaluLibc CSDL ArgumentParser)
target_include_directories(nalu_command PRIVATE include)
nalu_recompile_after(nalu_command NaluMedia Nalu NaluBitstream NaluBase NaluLibc include)
# The separate directory is needed because `nalu` is also the library's target.
set_target_properties(nalu_command PROPERTIES OUTPUT_NAME nalu RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
nalu_link_options(nalu_command)
target_link_options(nalu_command PRIVATE "SHELL:-Xlinker --gc-sections")

install(TARGETS nalu_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)

# ---- The manual and shell completions ---------------------------------------------------------------------------------
#
# The script runs the command, so the build machine must be able to run it.

find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(share "${PROJECT_BINARY_DIR}/share")

add_custom_command(OUTPUT "${share}/man/man1/nalu.1"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${share}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/generate_manual" "$<TARGET_FILE:nalu_command>" "${share}"
    DEPENDS nalu_command scripts/generate_manual COMMENT "Writing the manual" VERBATIM)
add_custom_target(nalu_manual ALL DEPENDS "${share}/man/man1/nalu.1")
install(DIRECTORY "${share}/man/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT command)
set(data "${CMAKE_INSTALL_DATADIR}")
install(FILES "${share}/bash-completion/completions/nalu" DESTINATION "${data}/bash-completion/completions" COMPONENT command)
install(FILES "${share}/zsh/site-functions/_nalu" DESTINATION "${data}/zsh/site-functions" COMPONENT command)
install(FILES "${share}/fish/vendor_completions.d/nalu.fish" DESTINATION "${data}/fish/vendor_completions.d" COMPONENT command)
