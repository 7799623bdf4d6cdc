# The screens of X11 and of Wayland (D-Bus), whose libraries are opened at their first use, and the cameras of the kernel.
foreach(module IN ITEMS CPortal CV4L2 CX11)
    nalu_c_module(${module})
endforeach()
target_link_libraries(CPortal PUBLIC CLoading)
target_link_libraries(CX11 PUBLIC CLoading)

# Containers and decoding, with FFmpeg. The build needs FFmpeg's headers, and its libraries only with NALU_SELF_CONTAINED,
# which links them. Otherwise Sources/CFFmpeg/dispatch.c loads them at the first call.
add_library(CFFmpeg STATIC Sources/CFFmpeg/dispatch.c)
target_compile_options(CFFmpeg PRIVATE -Wall -Wextra -Werror -ffunction-sections)
target_compile_definitions(CFFmpeg PRIVATE _GNU_SOURCE)
set_target_properties(CFFmpeg PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(CFFmpeg PUBLIC Sources/CFFmpeg)
target_link_libraries(CFFmpeg PUBLIC CLoading)
if(NALU_SELF_CONTAINED)
    target_compile_definitions(CFFmpeg PRIVATE NALU_FFMPEG_IS_LINKED)
    target_link_libraries(CFFmpeg PUBLIC nalu_ffmpeg)
else()
    pkg_check_modules(FFMPEG IMPORTED_TARGET libavformat>=59 libavcodec>=59 libavutil>=57 libswresample>=4)
    if(NOT FFMPEG_FOUND)
        message(FATAL_ERROR "pkg-config does not find FFmpeg 5.1 or newer (libavformat, libavcodec, libavutil, "
            "libswresample), whose headers libnalu needs: run scripts/setup, or install libavformat-dev libavcodec-dev "
            "libavutil-dev libswresample-dev.")
    endif()
    target_include_directories(CFFmpeg SYSTEM PUBLIC ${FFMPEG_INCLUDE_DIRS})
    target_link_libraries(CFFmpeg PUBLIC ${CMAKE_DL_LIBS})
endif()

# Cameras and microphones, with PipeWire. The build needs its headers; Sources/CPipeWire loads its library at the first call.
pkg_check_modules(PIPEWIRE libpipewire-0.3>=0.3.50)
if(NOT PIPEWIRE_FOUND)
    message(FATAL_ERROR "pkg-config does not find PipeWire 0.3.50 or newer, whose headers libnalu needs: run scripts/setup, or "
        "install libpipewire-0.3-dev.")
endif()
add_library(CPipeWire STATIC Sources/CPipeWire/connection.c Sources/CPipeWire/formats.c Sources/CPipeWire/capture.c)
target_compile_options(CPipeWire PRIVATE -Wall -Wextra -Werror -ffunction-sections)
target_compile_definitions(CPipeWire PRIVATE _GNU_SOURCE)
set_target_properties(CPipeWire PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(CPipeWire SYSTEM PRIVATE ${PIPEWIRE_INCLUDE_DIRS})
target_include_directories(CPipeWire PUBLIC Sources/CPipeWire)
target_link_libraries(CPipeWire PUBLIC CLoading)

# ---- Sockets -----------------------------------------------------------------------------------------------------
#
# The build needs libsrt's header. Sources/CNetwork/srt.c loads the library at the first srt:// address.

find_path(SRT_INCLUDE_DIR srt/srt.h)
if(NOT SRT_INCLUDE_DIR)
    message(FATAL_ERROR "libsrt's header srt/srt.h is missing: run scripts/setup, or install libsrt-gnutls-dev or "
        "libsrt-openssl-dev.")
endif()
add_library(CNetwork STATIC Sources/CNetwork/srt.c Sources/CNetwork/tcp.c)
target_compile_options(CNetwork PRIVATE -Wall -Wextra -Werror -ffunction-sections)
target_compile_definitions(CNetwork PRIVATE _GNU_SOURCE)
set_target_properties(CNetwork PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(CNetwork PUBLIC Sources/CNetwork)
target_include_directories(CNetwork SYSTEM PRIVATE ${SRT_INCLUDE_DIR})
target_link_libraries(CNetwork PUBLIC CLoading)

nalu_module(NaluMedia)
nalu_module_uses(NaluMedia
    LIBRARIES Nalu NaluBitstream NaluBase NaluLibc CPixelKernels CFFmpeg CNetwork CPipeWire CPortal CV4L2 CX11
    DIRECTORIES Sources/CCamera Sources/CFFmpeg Sources/CNetwork Sources/CPipeWire Sources/CPortal Sources/CV4L2 Sources/CX11
        Sources/CLoading ${NALU_KERNEL_MODULE_DIR})
