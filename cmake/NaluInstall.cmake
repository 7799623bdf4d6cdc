# `cmake --install` installs headers, library, pkg-config file, CMake package and licence. An installation can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS nalu EXPORT NaluTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libnalu NAMELINK_COMPONENT development)
install(DIRECTORY include/nalu DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.h")
set(NALU_LICENCES LICENSE)
if(NALU_WITH_X264)
    list(APPEND NALU_LICENCES LICENSE.GPL-2.0)
endif()
install(FILES ${NALU_LICENCES} DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)

# In the pkg-config file, paths below the prefix are relative to that file.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(NALU_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
    set(NALU_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(NALU_PC_PREFIX "\${pcfiledir}/${up}")
    set(NALU_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(NALU_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
    set(NALU_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/nalu.pc.in nalu.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/nalu.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

set(NALU_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Nalu")
configure_package_config_file(cmake/NaluConfig.cmake.in NaluConfig.cmake INSTALL_DESTINATION "${NALU_PACKAGE_DIR}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(NaluConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/NaluConfig.cmake" "${PROJECT_BINARY_DIR}/NaluConfigVersion.cmake"
    DESTINATION "${NALU_PACKAGE_DIR}" COMPONENT development)
install(EXPORT NaluTargets NAMESPACE Nalu:: DESTINATION "${NALU_PACKAGE_DIR}" COMPONENT development)
if(NALU_BUILD_VIDEOTOOLBOX)
    include(NaluInstallVideoToolbox)
endif()
