# find_package(macareu-itk) then gives macareu::itk. Inside of ITK its own rules install the module.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/macareu-itk)
set_target_properties(macareu_itk PROPERTIES EXPORT_NAME itk)
install(TARGETS macareu_itk EXPORT macareu-itk-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# ITK_AUTOLOAD_PATH names this folder. ITK silently skips a library that it cannot open, so the rpath has
# ITK's folder, and macareu's where that is shared.
set_target_properties(macareu_itk_autoload PROPERTIES
  INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS macareu_itk_autoload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/itk-autoload)
install(DIRECTORY include/macareu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT macareu-itk-targets NAMESPACE macareu:: DESTINATION ${package})
configure_package_config_file(macareu-itk-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/macareu-itk-config.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/macareu-itk-config-version.cmake
  VERSION ${macareu_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/macareu-itk-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/macareu-itk-config-version.cmake DESTINATION ${package})
