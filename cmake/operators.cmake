# The library: core, catalogue and engines, and for every header in src/operators one generated file per engine.

set(engines serial cpu)
if(MACAREU_USES_CUDA)
  list(APPEND engines cuda)
endif()
set(generated ${PROJECT_BINARY_DIR}/generated)
configure_file(cmake/version.hpp.in ${generated}/include/macareu/version.hpp @ONLY)

# An operator is a header with a struct of the same name; parameters.hpp is what they share.
file(GLOB operators RELATIVE ${PROJECT_SOURCE_DIR}/src/operators CONFIGURE_DEPENDS src/operators/*.hpp)
list(TRANSFORM operators REPLACE "[.]hpp$" "")
list(REMOVE_ITEM operators parameters)

set(stamps)
foreach(op IN LISTS operators)
  string(APPEND includes "#include \"operators/${op}.hpp\"\n")
  string(APPEND descriptions "operators::${op}::about, ")
  foreach(engine IN LISTS engines)
    set(header engines/${engine}/engine.hpp)
    set(stamp ${generated}/${engine}/${op}.cpp)
    if(engine STREQUAL "cuda")
      set(header engines/cuda/engine.cuh)
      set(stamp ${generated}/cuda/${op}.cu)
    endif()
    configure_file(cmake/stamp.cpp.in ${stamp} @ONLY)
    if(engine STREQUAL "cpu")  # else no loop with a root, or a choice between sums, is vectorised
      set_source_files_properties(${stamp} PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")
    elseif(engine STREQUAL "serial")  # the definition need not be fast, and takes a quarter less to compile
      set_source_files_properties(${stamp} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
    elseif(op MATCHES "^(distance_transform|measure|median)$")
      # cuda: many long kernels, so that one file would keep the others waiting
      set_source_files_properties(${stamp} PROPERTIES COMPILE_OPTIONS --split-compile=0)
    endif()
    list(APPEND stamps ${stamp})
    string(APPEND declarations "entry entry_${engine}_${op}();\n")
    string(APPEND calls "entry_${engine}_${op}(), ")
  endforeach()
endforeach()
configure_file(cmake/descriptions.cpp.in ${generated}/descriptions.cpp @ONLY)
configure_file(cmake/entries.cpp.in ${generated}/entries.cpp @ONLY)

# The public functions come from the descriptions.
add_executable(write_catalogue tools/write_catalogue.cpp ${generated}/descriptions.cpp
  src/catalogue/arguments.cpp src/core/image.cpp src/core/connectivity.cpp)
target_include_directories(write_catalogue PRIVATE include src)
target_link_libraries(write_catalogue PRIVATE macareu_build)
set(api_header ${generated}/include/macareu/operators.hpp)
set(api_source ${generated}/operators.cpp)
add_custom_command(
  OUTPUT ${api_header} ${api_source}
  COMMAND write_catalogue header ${api_header}
  COMMAND write_catalogue source ${api_source}
  DEPENDS write_catalogue)
add_custom_target(macareu_api DEPENDS ${api_header} ${api_source})

add_library(macareu
  ${stamps} ${generated}/entries.cpp ${generated}/descriptions.cpp ${api_source} ${api_header}
  src/core/image.cpp src/core/connectivity.cpp src/core/compare.cpp src/core/table.cpp
  src/rules/canny_plan.cpp src/rules/discrete_gaussian.cpp src/rules/object_table.cpp src/rules/surface_weights.cpp
  src/catalogue/arguments.cpp src/catalogue/catalogue.cpp src/catalogue/device_choice.cpp
  src/catalogue/machine.cpp)
add_library(macareu::macareu ALIAS macareu)
add_dependencies(macareu macareu_api)
target_include_directories(macareu
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${generated}/include>
         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_compile_features(macareu PUBLIC cxx_std_20)
target_link_libraries(macareu PRIVATE $<BUILD_INTERFACE:macareu_build> OpenMP::OpenMP_CXX)
add_subdirectory(src/engines/cpu)
add_subdirectory(src/engines/cuda)
add_subdirectory(src/instances)
