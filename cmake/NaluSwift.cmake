# nalu_swift_module(TARGET MODULE NAME [DIRECTORY DIRECTORY]) sets the language settings of Package.swift, and those of
# the optimizer, for a Swift target. The compiled module is in swift/NAME, or in swift/DIRECTORY/NAME if two targets have
# the same module.
function(nalu_swift_module target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODULE;DIRECTORY" "")
    set(directory "${PROJECT_BINARY_DIR}/swift/${arg_MODULE}")
    if(arg_DIRECTORY)
        set(directory "${PROJECT_BINARY_DIR}/swift/${arg_DIRECTORY}/${arg_MODULE}")
    endif()
    set_target_properties(${target} PROPERTIES
        Swift_MODULE_NAME ${arg_MODULE}
        Swift_MODULE_DIRECTORY "${directory}"
        Swift_LANGUAGE_VERSION 6
        POSITION_INDEPENDENT_CODE ON)

    set(flags
        -parse-as-library
        "SHELL:-package-name nalu"
        -warnings-as-errors
        -strict-memory-safety
        "SHELL:-enable-upcoming-feature ExistentialAny"
        "SHELL:-enable-upcoming-feature InternalImportsByDefault"
        "SHELL:-enable-upcoming-feature MemberImportVisibility")
    # Each module is one object. From an archive of several objects, the linker would omit those without references, and
    # with them protocol conformances that are looked up at run time.
    list(APPEND flags -whole-module-optimization "SHELL:-num-threads 0")
    # With cross-module optimization, generics of the core are specialized in the C interface, as within one module.
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        list(APPEND flags -cross-module-optimization)
    endif()
    # The tests in Tests/swift use `@testable import`.
    if(NALU_SANITIZE)
        list(APPEND flags -enable-testing)
    endif()
    # With a sanitizer, optimization takes longer than it saves, except for the modules that read bytes: AddressSanitizer's
    # tests give them thousands of hostile files. Under ThreadSanitizer, tests need NaluBase as it ships: without optimization
    # it takes the value of a Guarded<Void>, which has no bytes, for the object's first word.
    if(NALU_SANITIZE STREQUAL "thread")
        set(optimized "^NaluBase$")
    else()
        set(optimized "^Nalu(Base|Bitstream|Media)$")
    endif()
    if(NALU_SANITIZE AND NOT arg_MODULE MATCHES "${optimized}")
        list(APPEND flags -Onone)
    endif()
    foreach(flag IN LISTS flags)
        if(flag MATCHES "^SHELL:(.*)")
            target_compile_options(${target} PRIVATE "SHELL:$<$<COMPILE_LANGUAGE:Swift>:${CMAKE_MATCH_1}>")
        else()
            target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:Swift>:${flag}>")
        endif()
    endforeach()

    # Ninja builds a target again if one of its outputs is older than a source. The compiler does not write a module file
    # that has not changed, and writes one object for the whole module, although CMake expects one for each source.
    add_custom_command(TARGET ${target} POST_BUILD COMMAND "${CMAKE_COMMAND}" -E touch
        "${directory}/${arg_MODULE}.swiftmodule" "$<TARGET_OBJECTS:${target}>"
        COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# nalu_shared_library(TARGET SYMBOLS FILE) links a Swift shared library that exports exactly the symbols of FILE. It has no
# undefined symbols and no search path of the build machine. It is never unloaded (`nodelete`), because Swift's metadata
# cannot be unloaded. The linker is lld, which fails if a promised symbol is not defined; gold does not.
function(nalu_shared_library target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SYMBOLS" "")
    nalu_version_script(${target} SYMBOLS "${arg_SYMBOLS}")

    nalu_link_options(${target})
    if(NALU_SELF_CONTAINED)
        nalu_self_contained(${target})
    endif()
    target_link_options(${target} PRIVATE
        "SHELL:-Xlinker \"--version-script=${NALU_VERSION_SCRIPT}\""
        "SHELL:-Xlinker -z -Xlinker nodelete")
    if(NOT NALU_SANITIZE)
        target_link_options(${target} PRIVATE "SHELL:-Xlinker -z -Xlinker defs")
    endif()
endfunction()

# nalu_link_options(TARGET) sets the link options common to shared libraries and programs in Swift.
function(nalu_link_options target)
    target_link_options(${target} PRIVATE
        -use-ld=lld
        "SHELL:-Xlinker -z -Xlinker relro"
        "SHELL:-Xlinker -z -Xlinker now")
    # A target that contains the Swift runtime needs no toolchain. Otherwise the compiler driver adds a RUNPATH to the
    # runtime of its toolchain.
    if(NALU_STATIC_SWIFT_RUNTIME)
        target_link_options(${target} PRIVATE -static-stdlib -no-toolchain-stdlib-rpath)
    endif()
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON INSTALL_RPATH "")
endfunction()
