# Configures, builds and runs a consumer:
# cmake -D CONSUMER=folder -D WORK=folder -D ARGUMENTS=... [-D INSTALL=build tree] [-D FILES=...] [-D COMPILE_ONLY=ON]
#   [-D FORMATS=...]
# ARGUMENTS are for cmake's configuration, FILES must be installed and FORMATS are for the consumer; all separated by '|'.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(REPLACE "|" ";" arguments "${ARGUMENTS}")
if(INSTALL)
  file(REMOVE_RECURSE ${WORK})
  run(${CMAKE_COMMAND} --install ${INSTALL} --prefix ${WORK}/prefix)
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${WORK}/prefix)
  string(REPLACE "|" ";" files "${FILES}")
  foreach(file IN LISTS files)
    if(NOT EXISTS ${WORK}/prefix/${file})
      message(FATAL_ERROR "not installed: ${file}")
    endif()
  endforeach()
endif()
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build ${arguments})
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
run(${CMAKE_COMMAND} --build ${WORK}/build --target consumer --parallel ${processors})
if(NOT COMPILE_ONLY)
  string(REPLACE "|" ";" formats "${FORMATS}")
  execute_process(COMMAND ${WORK}/build/consumer ${formats} WORKING_DIRECTORY ${WORK}
    COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
