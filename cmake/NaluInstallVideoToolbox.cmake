# `cmake --install` also installs headers, library, linker names, pkg-config files, targets and a compiler wrapper for
# programs written for Apple's framework. They use the CoreFoundation of the toolchain of the build. Another toolchain can
# be named: by the variable `swift` in the pkg-config files, and by NALU_SWIFT_TOOLCHAIN elsewhere.
install(TARGETS VideoToolbox EXPORT NaluVideoToolboxTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libvideotoolbox NAMELINK_COMPONENT development)
install(DIRECTORY include/frameworks/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nalu-frameworks" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "module.modulemap")

# The library has three names, because programs link each framework by its own name.
foreach(name IN ITEMS CoreMedia CoreVideo)
    file(CREATE_LINK libVideoToolbox.so.0 "${PROJECT_BINARY_DIR}/lib${name}.so" SYMBOLIC)
    install(FILES "${PROJECT_BINARY_DIR}/lib${name}.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endforeach()
foreach(NALU_FRAMEWORK IN ITEMS CoreMedia CoreVideo VideoToolbox)
    configure_file(cmake/framework.pc.in ${NALU_FRAMEWORK}.pc @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${NALU_FRAMEWORK}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        COMPONENT development)
endforeach()

install(EXPORT NaluVideoToolboxTargets NAMESPACE Nalu:: DESTINATION "${NALU_PACKAGE_DIR}" COMPONENT development)
configure_file(cmake/NaluVideoToolboxConfig.cmake.in NaluVideoToolboxConfig.cmake @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/NaluVideoToolboxConfig.cmake" DESTINATION "${NALU_PACKAGE_DIR}" COMPONENT development)

# The wrapper finds the rest of the installation relative to its own directory.
foreach(directory IN ITEMS LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}")
        set(NALU_VT_${directory} "${CMAKE_INSTALL_FULL_${directory}}")
    else()
        file(RELATIVE_PATH up "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_${directory}}")
        set(NALU_VT_${directory} "$here/${up}")
    endif()
endforeach()
configure_file(cmake/nalu-vt-cc.in nalu-vt-cc @ONLY)
file(CREATE_LINK nalu-vt-cc "${PROJECT_BINARY_DIR}/nalu-vt-c++" SYMBOLIC)
install(PROGRAMS "${PROJECT_BINARY_DIR}/nalu-vt-cc" "${PROJECT_BINARY_DIR}/nalu-vt-c++"
    DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development)
