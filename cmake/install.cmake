include(CMakePackageConfigHelpers)

install(TARGETS macareu macareu_files macareu_pages EXPORT macareu-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/macareu ${generated}/include/macareu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT macareu-targets NAMESPACE macareu:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/macareu)
configure_package_config_file(cmake/macareu-config.cmake.in ${PROJECT_BINARY_DIR}/macareu-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/macareu)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/macareu-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/macareu-config.cmake ${PROJECT_BINARY_DIR}/macareu-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/macareu)
install(FILES LICENSE NOTICE CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Programs contain OpenSeadragon, whose licence asks for its text beside them.
if(EXISTS ${PROJECT_BINARY_DIR}/openseadragon/openseadragon-license.txt)
  install(FILES ${PROJECT_BINARY_DIR}/openseadragon/openseadragon-license.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
