# The media part of libnalu: containers and decoding, over FFmpeg. FFmpeg's headers are needed here, and its libraries only where
# they are linked in (NALU_SELF_CONTAINED): otherwise Sources/CFFmpeg/dispatch.c loads them at the first call.
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
        message(FATAL_ERROR "libnalu needs the headers of FFmpeg 5.1 or newer, which pkg-config does not find (libavformat, "
            "libavcodec, libavutil): run scripts/setup, or install libavformat-dev libavcodec-dev libavutil-dev.")
    endif()
    target_include_directories(CFFmpeg SYSTEM PUBLIC ${FFMPEG_INCLUDE_DIRS})
    target_link_libraries(CFFmpeg PUBLIC ${CMAKE_DL_LIBS})
endif()

nalu_module(NaluMedia)
nalu_module_uses(NaluMedia
    LIBRARIES Nalu NaluBitstream NaluBase NaluLibc CPixelKernels CFFmpeg
    DIRECTORIES Sources/CFFmpeg ${NALU_KERNEL_MODULE_DIR})
