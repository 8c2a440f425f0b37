# Manual pages: each program writes those of its verbs, from the catalogue and the options that it parses.
set(manual ${PROJECT_BINARY_DIR}/man)
function(write_manual program)
  add_custom_command(TARGET ${program} POST_BUILD COMMAND ${program} --manual ${manual} VERBATIM)
endfunction()
# A program that is not built has no pages.
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL FILES_MATCHING PATTERN "*.1")
