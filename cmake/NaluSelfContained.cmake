# NALU_SELF_CONTAINED: libnalu contains x264, libyuv and FFmpeg, and also runs with older C libraries. Symbols of the
# contained libraries are not exported, so other copies in a process are independent of them.
if(NOT NALU_STATIC_SWIFT_RUNTIME)
    message(FATAL_ERROR "NALU_SELF_CONTAINED needs NALU_STATIC_SWIFT_RUNTIME, because other machines lack the Swift runtime: set "
        "both to ON.")
endif()

# ---- Archives in place of shared libraries -------------------------------------------------------------------------
#
# Swift modules name the libraries that they need (-lx264), and the linker prefers shared libraries. This directory contains
# only static ones.

set(nalu_archives "${PROJECT_BINARY_DIR}/archives")
file(MAKE_DIRECTORY "${nalu_archives}")
function(nalu_archive name file)
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "NALU_SELF_CONTAINED needs the static library lib${name}.a (${file}): run scripts/setup"
            " and, for FFmpeg, scripts/build_ffmpeg.")
    endif()
    file(CREATE_LINK "${file}" "${nalu_archives}/lib${name}.a" SYMBOLIC)
endfunction()

set(nalu_archive_names yuv z)
if(NALU_WITH_X264)
    list(PREPEND nalu_archive_names x264)
endif()
foreach(name IN LISTS nalu_archive_names)
    find_library(NALU_ARCHIVE_${name} NAMES lib${name}.a HINTS ${X264_LIBRARY_DIRS})
    nalu_archive(${name} "${NALU_ARCHIVE_${name}}")
endforeach()
# Debian's libx264.a accesses `stderr` as programs do, which have a copy of that variable. A shared library has none, so
# the references are changed to a variable of its own.
if(NALU_WITH_X264)
    file(REMOVE "${nalu_archives}/libx264.a")
    execute_process(COMMAND "${CMAKE_OBJCOPY}" --redefine-sym stderr=nalu_stderr "${NALU_ARCHIVE_x264}"
        "${nalu_archives}/libx264.a" COMMAND_ERROR_IS_FATAL ANY)
    set_target_properties(PkgConfig::X264 PROPERTIES INTERFACE_LINK_LIBRARIES "${nalu_archives}/libx264.a")
endif()
set(YUV_LIBRARY "${nalu_archives}/libyuv.a")

# ---- FFmpeg ---------------------------------------------------------------------------------------------------------

set(nalu_ffmpeg avformat avcodec swresample avutil)
foreach(name IN LISTS nalu_ffmpeg)
    nalu_archive(${name} "${NALU_FFMPEG_ROOT}/lib/lib${name}.a")
    list(APPEND nalu_ffmpeg_files "${nalu_archives}/lib${name}.a")
endforeach()
# Compiled modules contain constants and layouts of FFmpeg's headers, so both versions must be the same.
if(NALU_MODULES_FROM)
    file(STRINGS "${NALU_FFMPEG_ROOT}/lib/pkgconfig/libavcodec.pc" here REGEX "^Version:")
    file(STRINGS "${NALU_MODULES_FROM}/CMakeCache.txt" there REGEX "^FFMPEG_libavcodec_VERSION:")
    string(REGEX REPLACE ".*[:=] *" "" here "${here}")
    string(REGEX REPLACE ".*=" "" there "${there}")
    if(NOT here STREQUAL there)
        message(FATAL_ERROR "The modules of NALU_MODULES_FROM are compiled for libavcodec \"${there}\", and "
            "NALU_FFMPEG_ROOT has ${here}: make NALU_MODULES_FROM empty.")
    endif()
endif()
add_library(nalu_ffmpeg INTERFACE)
target_include_directories(nalu_ffmpeg SYSTEM INTERFACE "${NALU_FFMPEG_ROOT}/include")
target_link_libraries(nalu_ffmpeg INTERFACE ${nalu_ffmpeg_files} "${nalu_archives}/libz.a")
add_library(nalu_quiet OBJECT "${CMAKE_CURRENT_LIST_DIR}/SelfContained/quiet.c")
set_target_properties(nalu_quiet PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(nalu_quiet SYSTEM PRIVATE "${NALU_FFMPEG_ROOT}/include")
target_compile_options(nalu_quiet PRIVATE -Wall -Wextra -Werror)

# ---- Older C libraries ----------------------------------------------------------------------------------------------
#
# By default, the linker selects the newest version of each function of the C library, and the result needs a C library
# with that version. Here it selects the versions of glibc 2.28 for the functions in SelfContained/glibc.txt, and the oldest
# versions for libm, from stub libraries that contain only these. Newer C libraries still have these versions.
# SelfContained/older.cpp contains the few functions that glibc 2.28 lacks.

set(nalu_oldest_glibc "${CMAKE_CURRENT_LIST_DIR}/SelfContained/glibc.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${nalu_oldest_glibc}")
file(STRINGS "${nalu_oldest_glibc}" lines REGEX "^[a-z]")
set(stubs "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^(lib[a-z]+\\.so\\.[0-9]) GLIBC_([0-9.]+) ([a-z0-9_ ]+)$")
        message(FATAL_ERROR "${nalu_oldest_glibc}: \"${line}\" is not LIBRARY VERSION FUNCTION...")
    endif()
    set(stub ${CMAKE_MATCH_1})
    set(version ${CMAKE_MATCH_2})
    string(REPLACE " " ";" functions "${CMAKE_MATCH_3}")
    # On other processors the oldest version is 2.17, also for functions that are older on x86-64.
    if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND version VERSION_LESS 2.17)
        set(version 2.17)
    endif()
    list(APPEND stubs ${stub})
    list(APPEND versions_${stub} ${version})
    list(APPEND functions_${stub}_${version} ${functions})
endforeach()
list(REMOVE_DUPLICATES stubs)

# The stub of libm has all functions of libm, because the linker reads only the first of two libraries with the same name.
execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libm.so.6
    OUTPUT_VARIABLE libm OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_NM}" -D --defined-only "${libm}" OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TWi] [a-z0-9_]+@+GLIBC_[0-9.]+" lines "${lines}")
list(APPEND stubs libm.so.6)
foreach(line IN LISTS lines)
    string(REGEX REPLACE "^ . ([a-z0-9_]+)@+GLIBC_(.*)$" "\\1;\\2" line "${line}")
    list(GET line 0 function)
    list(GET line 1 version)
    if(NOT DEFINED oldest_${function} OR version VERSION_LESS oldest_${function})
        set(oldest_${function} ${version})
        list(APPEND functions_of_libm ${function})
    endif()
endforeach()
list(REMOVE_DUPLICATES functions_of_libm)
foreach(function IN LISTS functions_of_libm)
    list(APPEND versions_libm.so.6 ${oldest_${function}})
    list(APPEND functions_libm.so.6_${oldest_${function}} ${function})
endforeach()

add_library(nalu_older_systems INTERFACE)
foreach(stub IN LISTS stubs)
    list(REMOVE_DUPLICATES versions_${stub})
    set(source "")
    set(script "")
    foreach(version IN LISTS versions_${stub})
        list(JOIN functions_${stub}_${version} "; " functions)
        string(APPEND script "GLIBC_${version} { ${functions}; };\n")
        foreach(function IN LISTS functions_${stub}_${version})
            string(APPEND source "void ${function}(void);\nvoid ${function}(void) {}\n")
        endforeach()
    endforeach()
    set(base "${PROJECT_BINARY_DIR}/glibc/${stub}")
    file(CONFIGURE OUTPUT "${base}.c" CONTENT "${source}" @ONLY)
    file(CONFIGURE OUTPUT "${base}.version" CONTENT "${script}" @ONLY)
    string(MAKE_C_IDENTIFIER "nalu_${stub}" target)
    add_library(${target} SHARED "${base}.c")
    target_compile_options(${target} PRIVATE -w -fno-builtin)
    target_link_options(${target} PRIVATE -nostdlib -fuse-ld=lld "LINKER:--version-script=${base}.version,-soname,${stub}")
    set_property(TARGET ${target} PROPERTY LINK_DEPENDS "${base}.version")
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/glibc" NO_SONAME ON)
    target_link_libraries(nalu_older_systems INTERFACE ${target})
endforeach()

add_library(nalu_older OBJECT "${CMAKE_CURRENT_LIST_DIR}/SelfContained/older.cpp")
set_target_properties(nalu_older PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CXX_STANDARD 17)
target_compile_options(nalu_older PRIVATE -Wall -Wextra -Werror)

# nalu_self_contained(TARGET) links the archives and the stub libraries, and must be called before other libraries are
# linked.
function(nalu_self_contained target)
    target_link_directories(${target} BEFORE PRIVATE "${nalu_archives}")
    target_link_options(${target} PRIVATE "SHELL:-Xlinker --gc-sections" "SHELL:-Xlinker -O2")
    target_link_libraries(${target} PRIVATE $<TARGET_OBJECTS:nalu_older> nalu_older_systems)
endfunction()
