# The modules that libnalu contains, each as a static library with the module's name. If NALU_MODULES_FROM names another build
# tree of these sources, the Swift modules are compiled there, and each build of this tree updates them. This is possible
# because their code does not depend on the way in which the Swift runtime is linked.

# nalu_module(NAME [EXCLUDE REGEX] [DEFINITIONS NAME...]) declares the module of Sources/NAME, without the files whose paths
# match, and with definitions for #if.
function(nalu_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCLUDE" "DEFINITIONS")
    if(NALU_MODULES_FROM)
        nalu_module_from_other_tree(${name})
        # CMake requires the directory when it configures, before the other tree's build has created it.
        file(MAKE_DIRECTORY "${NALU_MODULES_FROM}/swift/${name}")
        target_include_directories(${name} INTERFACE "${NALU_MODULES_FROM}/swift/${name}")
    else()
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS Sources/${name}/*.swift)
        if(arg_EXCLUDE)
            list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
        endif()
        add_library(${name} STATIC ${sources})
        nalu_swift_module(${name} MODULE ${name})
        target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    endif()
endfunction()

# nalu_module_uses(NAME [LIBRARIES LIBRARY...] [DIRECTORIES DIRECTORY...]) declares the libraries and include directories
# of a module and of the modules that import it.
function(nalu_module_uses name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;DIRECTORIES")
    if(NALU_MODULES_FROM)
        set(scope INTERFACE)
    else()
        set(scope PUBLIC)
    endif()
    target_link_libraries(${name} ${scope} ${arg_LIBRARIES})
    target_include_directories(${name} ${scope} ${arg_DIRECTORIES})
    if(NOT NALU_MODULES_FROM)
        nalu_recompile_after(${name} ${arg_LIBRARIES} ${arg_DIRECTORIES})
    endif()
endfunction()

# nalu_recompile_after(NAME [LIBRARY|DIRECTORY...]) compiles a module again after a change of the modules and headers that
# it imports. CMake only compiles these first, and the module would keep code that the compiler has inlined from them. An
# additional source file, updated with each change, causes the compilation.
function(nalu_recompile_after name)
    set(imports "")
    foreach(import ${ARGN})
        if(TARGET ${import})
            list(APPEND imports ${import})
        elseif(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${import}")
            file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${import}/*.h)
            list(APPEND imports ${headers})
        endif()
    endforeach()
    set(file "${CMAKE_CURRENT_BINARY_DIR}/imports/${name}.swift")
    add_custom_command(OUTPUT "${file}" DEPENDS ${imports}
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/imports"
        COMMAND "${CMAKE_COMMAND}" -E touch "${file}" VERBATIM)
    target_sources(${name} PRIVATE "${file}")
endfunction()

# nalu_module_from_other_tree(NAME) declares a library that NALU_MODULES_FROM has compiled.
function(nalu_module_from_other_tree name)
    add_library(${name} STATIC IMPORTED)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${NALU_MODULES_FROM}/lib${name}.a")
    add_dependencies(${name} modules_of_other_tree)
endfunction()

if(NALU_MODULES_FROM)
    if(NOT EXISTS "${NALU_MODULES_FROM}/CMakeCache.txt")
        message(FATAL_ERROR "NALU_MODULES_FROM is \"${NALU_MODULES_FROM}\", which is not a build tree: configure one there, or "
            "make NALU_MODULES_FROM empty to compile the modules here.")
    endif()
    set(modules CPixelKernels NaluLibc NaluBase NaluBitstream Nalu NaluMedia)
    list(TRANSFORM modules REPLACE "(.+)" "${NALU_MODULES_FROM}/lib\\1.a" OUTPUT_VARIABLE archives)
    add_custom_target(modules_of_other_tree
        COMMAND "${CMAKE_COMMAND}" --build "${NALU_MODULES_FROM}" --target ${modules}
        BYPRODUCTS ${archives} USES_TERMINAL VERBATIM)
endif()

# nalu_c_module(NAME [LOADS]) declares the static library of the C files in Sources/NAME. LOADS: it opens a library at run time.
function(nalu_c_module name)
    file(GLOB sources CONFIGURE_DEPENDS Sources/${name}/*.c)
    add_library(${name} STATIC ${sources})
    target_compile_options(${name} PRIVATE -Wall -Wextra -Werror -ffunction-sections)
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_include_directories(${name} PUBLIC Sources/${name})
    if("LOADS" IN_LIST ARGN)
        target_link_libraries(${name} PUBLIC CLoading)
    endif()
endfunction()
