# From a build that contains the Swift runtime, `cpack` makes an archive of the installation. If libraries are installed in
# Debian's directories, as with the preset `package`, it also makes Debian packages. NaluDebian.cmake adds the parts of
# these that CPack does not support.
#
# No package contains libVideoToolbox, because it needs the CoreFoundation of a Swift toolchain.
set(CPACK_PACKAGE_NAME nalu)
set(CPACK_PACKAGE_VENDOR Nalu)
set(CPACK_PACKAGE_FILE_NAME "nalu-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE.GPL-2.0")
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_VERBATIM_VARIABLES ON)

# The maintainer is named by DEBFULLNAME and DEBEMAIL, as with Debian's tools.
set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(NOT DEFINED ENV{DEBFULLNAME} OR NOT DEFINED ENV{DEBEMAIL})
    set(contact "Unknown builder <root@localhost>")
endif()
set(NALU_PACKAGE_CONTACT "${contact}" CACHE STRING "The maintainer of the Debian packages: Name <address>")
set(CPACK_PACKAGE_CONTACT "${NALU_PACKAGE_CONTACT}")

find_program(NALU_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(NALU_DPKG_SHLIBDEPS)
if(NALU_DPKG_SHLIBDEPS AND CMAKE_LIBRARY_ARCHITECTURE AND CMAKE_INSTALL_LIBDIR MATCHES "${CMAKE_LIBRARY_ARCHITECTURE}$")
    list(APPEND CPACK_GENERATOR DEB)
endif()

# ---- Debian packages: one for each component ---------------------------------------------------------------------------

# nalu_debian_package(COMPONENT NAME SECTION DESCRIPTION) declares a package. The first line of the description is the
# synopsis.
function(nalu_debian_package component name section description)
    string(TOUPPER "${component}" upper)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    set(CPACK_COMPONENTS_ALL "${CPACK_COMPONENTS_ALL}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
    if(NOT component STREQUAL command)
        # CMake 3.31 and newer use this variable.
        set(CPACK_DEBIAN_${upper}_PACKAGE_MULTIARCH same PARENT_SCOPE)
    endif()
endfunction()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE nalu)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL "")
set(what "Nalu encodes H.264 with x264, and H.265 with x265. A program creates a
session, sets properties by name and pushes frames with timestamps; each frame
becomes one sample.")
# CPack would insert this before every description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
nalu_debian_package(libnalu libnalu0 libs "video compression sessions, shared library
${what}
.
This package contains the shared library. With the libraries of FFmpeg it
also reads and writes MP4, MOV, Matroska, MPEG-TS and FLV, and decodes H.264
and H.265.")
# The libraries of FFmpeg and libx265, which libnalu loads at the first call that needs them.
set(loaded "")
foreach(name IN ITEMS avcodec avformat avutil swresample)
    if(FFMPEG_lib${name}_VERSION MATCHES "^([0-9]+)\\.")
        list(APPEND loaded "lib${name}${CMAKE_MATCH_1}")
    endif()
endforeach()
file(STRINGS "${X265_INCLUDE_DIR}/x265_config.h" build REGEX "define X265_BUILD ")
if(build MATCHES "X265_BUILD +([0-9]+)")
    list(APPEND loaded "libx265-${CMAKE_MATCH_1}")
endif()
list(JOIN loaded ", " loaded)
set(CPACK_DEBIAN_LIBNALU_PACKAGE_RECOMMENDS "${loaded}")
# The encoder OpenH264, which the first session with it loads: the soname of the headers, as in Sources/COpenH264/encoder.c.
file(STRINGS "${OPENH264_INCLUDE_DIR}/wels/codec_ver.h" minor REGEX "define OPENH264_MINOR")
if(minor MATCHES "\\(([0-5])\\)")
    set(openh264 libopenh264-7)
else()
    set(openh264 libopenh264-8)
endif()
# libsrt, PipeWire, libxcb and libdbus, which the first address srt:// and the first capture load: the packages that the error
# messages of Sources/CNetwork, CPipeWire, CX11 and CPortal name.
string(CONCAT suggested "${openh264}, libsrt1.5-openssl | libsrt1.5-gnutls | libsrt1.4-openssl | libsrt1.4-gnutls, "
    "libpipewire-0.3-0, libxcb1, libxcb-randr0, libxcb-shm0, libxcb-xfixes0, libdbus-1-3")
set(CPACK_DEBIAN_LIBNALU_PACKAGE_SUGGESTS "${suggested}")
nalu_debian_package(development libnalu-dev libdevel "video compression sessions, development files
${what}
.
This package contains headers, pkg-config files and a CMake package, for
compiling programs.")
# NaluDebian.cmake replaces @libnalu@.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "@libnalu@")
if(NALU_BUILD_COMMAND)
    nalu_debian_package(command nalu video "encode, transcode and inspect video with Nalu
${what}
.
This package has the command nalu, which encodes frames, transcodes, decodes
and demuxes files, and reports the contents of files and streams; its manual;
and completions for bash, zsh and fish.")
    # Most uses of the command need FFmpeg, for containers.
    set(CPACK_NALU_COMMAND_DEPENDS "${loaded}")
    # `nalu transcode --dask` needs Python, and the first window loads SDL2.
    set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "python3, libsdl2-2.0-0, ${suggested}")
endif()

if(NALU_BUILD_GSTREAMER)
    nalu_debian_package(gstreamer gstreamer1.0-nalu libs "GStreamer plugin that encodes H.264 with Nalu
${what}
.
This package has the GStreamer element naluh264enc.")
endif()

set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/NaluDebian.cmake")
# NaluDebian.cmake reads these variables.
set(CPACK_NALU_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_NALU_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
include(CPack)
