# Modules lie in lib/macareu, seen from the directory of the programs alike in the build and installed. A program that
# uses the static library lies elsewhere, so the target names the directory to it.
file(RELATIVE_PATH from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/macareu)
cmake_path(ABSOLUTE_PATH from_program BASE_DIRECTORY ${PROJECT_BINARY_DIR}/bin NORMALIZE OUTPUT_VARIABLE built_modules)
cmake_path(APPEND installed_modules "$<INSTALL_PREFIX>" "${CMAKE_INSTALL_LIBDIR}" macareu)
# A shared library lies beside the directory of its modules too.
cmake_path(GET built_modules PARENT_PATH built_libraries)
set_target_properties(macareu PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${built_libraries})
set_source_files_properties(src/core/module.cpp PROPERTIES COMPILE_DEFINITIONS MACAREU_MODULES_FROM_PROGRAM="${from_program}")
target_compile_definitions(macareu INTERFACE $<INSTALL_INTERFACE:MACAREU_MODULE_DIRECTORY="${installed_modules}">)
if(NOT PROJECT_IS_TOP_LEVEL)
  target_compile_definitions(macareu INTERFACE $<BUILD_INTERFACE:MACAREU_MODULE_DIRECTORY="${built_modules}">)
endif()

# The shared object macareu_NAME.so. It shares no symbol with the program that loads it: only its table,
# macareu_NAME_module, is visible, and nothing may be missing.
function(add_module name)
  add_library(macareu_${name} MODULE ${ARGN})
  set(exports ${PROJECT_BINARY_DIR}/macareu_${name}.exports)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: macareu_${name}_module; local: *; };\n")
  set_target_properties(macareu_${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${built_modules} LINK_DEPENDS ${exports})
  target_link_options(macareu_${name} PRIVATE LINKER:--version-script=${exports} $<$<CONFIG:Release>:LINKER:-z,defs>)
  install(TARGETS macareu_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/macareu)
endfunction()
