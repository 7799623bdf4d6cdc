# libnalumedia.so: containers, over FFmpeg. It uses libnalu by its C interface alone, so that samples and format
# descriptions are the same objects in both.
if(NALU_SELF_CONTAINED)
    set(ffmpeg nalu_ffmpeg)
else()
    pkg_check_modules(FFMPEG IMPORTED_TARGET libavformat>=59 libavcodec>=59 libavutil>=57)
    if(NOT FFMPEG_FOUND)
        message(FATAL_ERROR "libnalumedia needs FFmpeg 5.1 or newer with its development files, which pkg-config does not find "
            "(libavformat, libavcodec, libavutil): run scripts/setup, install libavformat-dev libavcodec-dev libavutil-dev, or "
            "configure with -DNALU_BUILD_MEDIA=OFF to build libnalu alone.")
    endif()
    set(ffmpeg PkgConfig::FFMPEG)
endif()

nalu_module(NaluMediaEngine)
nalu_module_uses(NaluMediaEngine
    LIBRARIES NaluBitstream NaluBase NaluLibc CPixelKernels ${ffmpeg}
    FOLDERS include Sources/CFFmpeg ${NALU_KERNEL_MODULE_DIR})

file(GLOB_RECURSE media_abi_sources CONFIGURE_DEPENDS Sources/NaluMediaABI/*.swift)
add_library(nalumedia SHARED ${media_abi_sources})
add_library(Nalu::nalumedia ALIAS nalumedia)
nalu_swift_module(nalumedia MODULE NaluMediaABI)
target_link_libraries(nalumedia PRIVATE NaluMediaEngine NaluBoundary NaluBitstream NaluBase NaluLibc PUBLIC nalu)
# Otherwise libnalu, which is initialised first, looks after the one runtime of both.
if(NALU_STATIC_SWIFT_RUNTIME)
    target_link_libraries(nalumedia PRIVATE $<TARGET_OBJECTS:CHandlers>)
endif()
if(NALU_SELF_CONTAINED)
    target_link_libraries(nalumedia PRIVATE $<TARGET_OBJECTS:nalu_quiet>)
endif()
set_target_properties(nalumedia PROPERTIES OUTPUT_NAME nalumedia VERSION ${PROJECT_VERSION} SOVERSION 0)
file(GLOB media_headers CONFIGURE_DEPENDS include/nalu/*.h include/nalu/*/*.h)
set_property(TARGET nalumedia APPEND PROPERTY LINK_DEPENDS ${media_headers})
nalu_shared_library(nalumedia SYMBOLS "${CMAKE_CURRENT_SOURCE_DIR}/abi/nalumedia.symbols")
