# Containers and decoding, with FFmpeg. The build needs FFmpeg's headers, and its libraries only with NALU_SELF_CONTAINED,
# which links them. Otherwise Sources/CFFmpeg/dispatch.c loads them at the first call.
add_library(CFFmpeg STATIC Sources/CFFmpeg/dispatch.c)
target_compile_options(CFFmpeg PRIVATE -Wall -Wextra -Werror -ffunction-sections)
target_compile_definitions(CFFmpeg PRIVATE _GNU_SOURCE)
set_target_properties(CFFmpeg PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(CFFmpeg PUBLIC Sources/CFFmpeg)
if(NALU_SELF_CONTAINED)
    target_compile_definitions(CFFmpeg PRIVATE NALU_FFMPEG_IS_LINKED)
    target_link_libraries(CFFmpeg PUBLIC nalu_ffmpeg)
else()
    pkg_check_modules(FFMPEG IMPORTED_TARGET libavformat>=59 libavcodec>=59 libavutil>=57)
    if(NOT FFMPEG_FOUND)
        message(FATAL_ERROR "pkg-config does not find FFmpeg 5.1 or newer (libavformat, libavcodec, libavutil), whose "
            "headers libnalu needs: run scripts/setup, or install libavformat-dev libavcodec-dev libavutil-dev.")
    endif()
    target_include_directories(CFFmpeg SYSTEM PUBLIC ${FFMPEG_INCLUDE_DIRS})
    target_link_libraries(CFFmpeg PUBLIC ${CMAKE_DL_LIBS})
endif()

nalu_module(NaluMedia)
nalu_module_uses(NaluMedia
    LIBRARIES Nalu NaluBitstream NaluBase NaluLibc CPixelKernels CFFmpeg
    DIRECTORIES Sources/CFFmpeg ${NALU_KERNEL_MODULE_DIR})
