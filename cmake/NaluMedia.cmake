# Containers, decoding, capture and sockets. The build needs the headers of the libraries, which are loaded at their first use.

# The screens of X11 and of Wayland (D-Bus), and the cameras of the kernel.
nalu_c_module(CPortal LOADS)
nalu_c_module(CV4L2)
nalu_c_module(CX11 LOADS)

# FFmpeg. NALU_SELF_CONTAINED links its libraries.
nalu_c_module(CFFmpeg LOADS)
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
endif()

# Cameras and microphones of PipeWire.
pkg_check_modules(PIPEWIRE libpipewire-0.3>=0.3.50)
if(NOT PIPEWIRE_FOUND)
    message(FATAL_ERROR "pkg-config does not find PipeWire 0.3.50 or newer, whose headers libnalu needs: run scripts/setup, or "
        "install libpipewire-0.3-dev.")
endif()
nalu_c_module(CPipeWire LOADS)
target_include_directories(CPipeWire SYSTEM PRIVATE ${PIPEWIRE_INCLUDE_DIRS})

# TCP, and SRT by libsrt.
find_path(SRT_INCLUDE_DIR srt/srt.h)
if(NOT SRT_INCLUDE_DIR)
    message(FATAL_ERROR "libsrt's header srt/srt.h is missing: run scripts/setup, or install libsrt-gnutls-dev or "
        "libsrt-openssl-dev.")
endif()
nalu_c_module(CNetwork LOADS)
target_include_directories(CNetwork SYSTEM PRIVATE ${SRT_INCLUDE_DIR})

nalu_module(NaluMedia)
nalu_module_uses(NaluMedia
    LIBRARIES Nalu NaluBitstream NaluBase NaluLibc CPixelKernels CFFmpeg CNetwork CPipeWire CPortal CV4L2 CX11
    DIRECTORIES Sources/CCamera Sources/CFFmpeg Sources/CNetwork Sources/CPipeWire Sources/CPortal Sources/CV4L2 Sources/CX11
        Sources/CLoading ${NALU_KERNEL_MODULE_DIR})
