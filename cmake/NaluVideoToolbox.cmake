# libVideoToolbox.so: CoreVideo, CoreMedia and VideoToolbox for Linux. It is written in C, and uses libnalu's C interface
# and the Swift toolchain's CoreFoundation, whose headers need clang.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "libVideoToolbox needs clang, because CoreFoundation's headers use blocks, and not "
        "${CMAKE_C_COMPILER}: leave CC unset to use the Swift toolchain's, or configure with -DNALU_BUILD_VIDEOTOOLBOX=OFF.")
endif()

execute_process(COMMAND "${CMAKE_Swift_COMPILER}" -print-target-info
    OUTPUT_VARIABLE info COMMAND_ERROR_IS_FATAL ANY)
string(JSON NALU_SWIFT_RUNTIME GET "${info}" paths runtimeLibraryPaths 0)
get_filename_component(NALU_SWIFT_INCLUDE "${NALU_SWIFT_RUNTIME}" DIRECTORY)
get_filename_component(NALU_SWIFT_USR "${NALU_SWIFT_INCLUDE}/../.." ABSOLUTE)

# The options of all targets that include these headers.
add_library(NaluFrameworks INTERFACE)
target_include_directories(NaluFrameworks INTERFACE "${PROJECT_SOURCE_DIR}/include/frameworks")
target_include_directories(NaluFrameworks SYSTEM INTERFACE "${NALU_SWIFT_INCLUDE}" "${NALU_SWIFT_INCLUDE}/Block")
target_compile_options(NaluFrameworks INTERFACE -fblocks -fcf-runtime-abi=swift-5.0)
target_link_libraries(NaluFrameworks INTERFACE "${NALU_SWIFT_RUNTIME}/libFoundation.so"
    "${NALU_SWIFT_RUNTIME}/libdispatch.so" "${NALU_SWIFT_RUNTIME}/libBlocksRuntime.so")

file(GLOB_RECURSE videotoolbox_sources CONFIGURE_DEPENDS Sources/CVideoToolbox/*.c)
add_library(VideoToolbox SHARED ${videotoolbox_sources})
add_library(Nalu::VideoToolbox ALIAS VideoToolbox)
target_compile_definitions(VideoToolbox PRIVATE _GNU_SOURCE)
option(NALU_VT_STRICT_HARDWARE "Refuse to create an encoder if a program requires a hardware encoder" OFF)
if(NALU_VT_STRICT_HARDWARE)
    target_compile_definitions(VideoToolbox PRIVATE NALU_VT_STRICT_HARDWARE)
endif()
target_compile_options(VideoToolbox PRIVATE -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes
    -fno-semantic-interposition)
target_include_directories(VideoToolbox INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/nalu-frameworks>)
target_link_libraries(VideoToolbox PUBLIC $<BUILD_INTERFACE:NaluFrameworks> $<INSTALL_INTERFACE:Nalu::Frameworks>
    PRIVATE nalu Threads::Threads m ${CMAKE_DL_LIBS})
# The search path contains the library's own directory, for libnalu, and the Swift runtime of the build's toolchain.
set_target_properties(VideoToolbox PROPERTIES C_STANDARD 11 VERSION ${PROJECT_VERSION} SOVERSION 0
    INSTALL_RPATH "\$ORIGIN;${NALU_SWIFT_RUNTIME}")

# lld fails if a promised symbol is not defined.
nalu_version_script(VideoToolbox SYMBOLS "${PROJECT_SOURCE_DIR}/abi/VideoToolbox.symbols")
target_link_options(VideoToolbox PRIVATE -fuse-ld=lld "-Wl,--version-script=${NALU_VERSION_SCRIPT}" -Wl,-z,nodelete -Wl,-z,relro
    -Wl,-z,now $<$<NOT:$<BOOL:${NALU_SANITIZE}>>:-Wl,-z,defs>)
