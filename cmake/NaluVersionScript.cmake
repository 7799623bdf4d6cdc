# nalu_version_script(TARGET SYMBOLS FILE) writes a version script that exports exactly the symbols of FILE, whose lines
# are "NODE symbol". It makes TARGET depend on the script, and stores the script's path in NALU_VERSION_SCRIPT.
function(nalu_version_script target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SYMBOLS" "")

    set(nodes)
    file(STRINGS "${arg_SYMBOLS}" lines REGEX "^[A-Z]")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES "^([A-Z0-9_]+) ([A-Za-z0-9_]+)$")
            message(FATAL_ERROR "${arg_SYMBOLS}: \"${line}\" is not NODE symbol")
        endif()
        list(APPEND nodes ${CMAKE_MATCH_1})
        list(APPEND symbols_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endforeach()
    list(REMOVE_DUPLICATES nodes)

    set(script "${PROJECT_BINARY_DIR}/${target}.version")
    set(text)
    set(parent)
    foreach(node IN LISTS nodes)
        list(JOIN symbols_${node} ";\n        " symbols)
        if(NOT parent)
            set(text "${node} {\n    global:\n        ${symbols};\n    local: *;\n};\n")
        else()
            string(APPEND text "${node} {\n    global:\n        ${symbols};\n} ${parent};\n")
        endif()
        set(parent ${node})
    endforeach()
    file(CONFIGURE OUTPUT "${script}" CONTENT "${text}" @ONLY)
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_SYMBOLS}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
    set(NALU_VERSION_SCRIPT "${script}" PARENT_SCOPE)
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
