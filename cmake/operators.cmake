# The library: core, catalogue and engines, and for every header in src/operators one generated file per engine.
#
# All of it is position-independent from the start: the Python and ITK modules take the library in, and finding out
# about them later must not compile it again.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(engines serial cpu)
if(MACAREU_USES_CUDA)
  list(APPEND engines cuda)
endif()
set(generated ${PROJECT_BINARY_DIR}/generated)
configure_file(cmake/version.hpp.in ${generated}/include/macareu/version.hpp @ONLY)

# An operator is a header with a struct of the same name that describes itself; other headers beside it are its rules.
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS src/operators/*.hpp)
set(operators)
foreach(header IN LISTS headers)
  file(STRINGS src/${header} described REGEX "operator_description about" LIMIT_COUNT 1)
  if(described)
    get_filename_component(op ${header} NAME_WE)
    list(APPEND operators ${op})
    set(header_of_${op} ${header})
  endif()
endforeach()
list(SORT operators)

foreach(op IN LISTS operators)
  set(op_header ${header_of_${op}})
  string(APPEND includes "#include \"${op_header}\"\n")
  string(APPEND visits "visit(std::type_identity<operators::${op}>{});\n  ")
  string(APPEND descriptions "operators::${op}::about, ")
  foreach(engine IN LISTS engines)
    set(engine_header engines/${engine}/engine.hpp)
    set(stamp ${generated}/${engine}/${op}.cpp)
    if(engine STREQUAL "cuda")
      set(engine_header engines/cuda/engine.cuh)
      set(stamp ${generated}/cuda/${op}.cu)
    endif()
    configure_file(cmake/stamp.cpp.in ${stamp} @ONLY)
    if(engine STREQUAL "cuda" AND op MATCHES "^(distance_transform|measure|median)$")
      # Many long kernels, so that one file would keep the others waiting.
      set_source_files_properties(${stamp} PROPERTIES COMPILE_OPTIONS --split-compile=0)
    endif()
    list(APPEND ${engine}_stamps ${stamp})
    string(APPEND declarations "entry entry_${engine}_${op}();\n")
    string(APPEND calls "entry_${engine}_${op}(), ")
  endforeach()
endforeach()
set(MACAREU_OPERATOR_INCLUDES ${includes})  # for tests that run each
set(MACAREU_OPERATOR_VISITS ${visits})
configure_file(cmake/descriptions.cpp.in ${generated}/descriptions.cpp @ONLY)
configure_file(cmake/entries.cpp.in ${generated}/entries.cpp @ONLY)

# How all of the library's own files are compiled, whichever target they are part of.
add_library(macareu_parts INTERFACE)
target_include_directories(macareu_parts INTERFACE include src ${generated}/include)
target_link_libraries(macareu_parts INTERFACE macareu_build)
target_compile_options(macareu_parts INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)

# What the catalogue knows without any engine.
add_library(macareu_descriptions OBJECT ${generated}/descriptions.cpp
  src/catalogue/arguments.cpp src/catalogue/suggestion.cpp src/core/connectivity.cpp src/core/error.cpp src/core/image.cpp)
target_link_libraries(macareu_descriptions PRIVATE macareu_parts)

# The public functions come from the descriptions.
add_executable(write_catalogue tools/write_catalogue.cpp tools/operator_pages.cpp)
target_link_libraries(write_catalogue PRIVATE macareu_descriptions macareu_parts)
set(api_header ${generated}/include/macareu/operators.hpp)
set(api_source ${generated}/operators.cpp)
add_custom_command(
  OUTPUT ${api_header} ${api_source}
  COMMAND write_catalogue header ${api_header}
  COMMAND write_catalogue source ${api_source}
  DEPENDS write_catalogue)
add_custom_target(macareu_api DEPENDS ${api_header} ${api_source})

# The serial engine is the definition and need not be fast: one compiler run for several operators.
add_library(macareu_serial OBJECT ${serial_stamps})
target_link_libraries(macareu_serial PRIVATE macareu_parts)
target_compile_options(macareu_serial PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(macareu_serial PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)

# Loops with a root, or a choice between sums, are vectorised with these options only. -O3 takes half as long again to
# compile: it is for the operators that are slower without it. The others get its limits for inlining, without which
# Sobel's takes 1.4 times as long.
set(cpu_options -fno-math-errno -fno-trapping-math)
set(needs_o3 canny distance_transform measure)
list(TRANSFORM needs_o3 PREPEND ${generated}/cpu/)
list(TRANSFORM needs_o3 APPEND .cpp)
list(REMOVE_ITEM cpu_stamps ${needs_o3})
add_library(macareu_cpu OBJECT ${cpu_stamps})
add_library(macareu_cpu_o3 OBJECT ${needs_o3})
set(gnu_release $<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>)
target_compile_options(macareu_cpu PRIVATE $<$<CONFIG:Release>:-O2 -ftree-vectorize> $<${gnu_release}:-fvect-cost-model=dynamic
  --param=max-inline-insns-single=200 --param=max-inline-insns-auto=30 --param=inline-min-speedup=15>)
foreach(part macareu_cpu macareu_cpu_o3)
  target_link_libraries(${part} PRIVATE macareu_parts)
  target_compile_options(${part} PRIVATE ${cpu_options})
  target_precompile_headers(${part} PRIVATE src/catalogue/entry.hpp src/engines/cpu/engine.hpp)
endforeach()

add_library(macareu
  $<TARGET_OBJECTS:macareu_descriptions> $<TARGET_OBJECTS:macareu_serial> $<TARGET_OBJECTS:macareu_cpu>
  $<TARGET_OBJECTS:macareu_cpu_o3>
  ${cuda_stamps}
  ${generated}/entries.cpp ${api_source} ${api_header}
  src/core/compare.cpp src/core/table.cpp
  src/patterns/component_rims.cpp
  src/operators/common/pixel_bits.cpp
  src/operators/edges/canny_plan.cpp src/operators/edges/discrete_gaussian.cpp src/operators/objects/object_table.cpp src/operators/objects/surface_weights.cpp
  src/catalogue/catalogue.cpp src/catalogue/checks.cpp src/catalogue/device_choice.cpp src/catalogue/machine.cpp)
add_library(macareu::macareu ALIAS macareu)
add_dependencies(macareu macareu_api)
target_include_directories(macareu
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${generated}/include>
         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_compile_features(macareu PUBLIC cxx_std_20)
find_package(Threads REQUIRED)
target_link_libraries(macareu PRIVATE $<BUILD_INTERFACE:macareu_parts> OpenMP::OpenMP_CXX Threads::Threads)
add_subdirectory(src/engines/cpu)
add_subdirectory(src/engines/cuda)
add_subdirectory(src/instances)
unset(CMAKE_POSITION_INDEPENDENT_CODE)
