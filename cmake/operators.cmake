# The library: core, catalogue and engines, and for every header in src/operators one generated file per engine.
#
# All of it is position-independent from the start: the Python and ITK modules take the library in, and finding out
# about them later must not compile it again.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(MACAREU_SERIAL "The serial engine, which defines every result; the cpu engine does without" ON)
set(engines cpu)
if(MACAREU_SERIAL)
  list(PREPEND engines serial)
endif()
if(MACAREU_USES_CUDA)
  list(APPEND engines cuda)  # its entries are in a module: src/engines/cuda/CMakeLists.txt
endif()
set(generated ${PROJECT_BINARY_DIR}/generated)
include(cmake/instruction_sets.cmake)
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

set(MACAREU_OPERATORS all CACHE STRING "Code of the cpu engine: all, or slides, what finding nuclei of slides runs")
set_property(CACHE MACAREU_OPERATORS PROPERTY STRINGS all slides)
if(NOT MACAREU_OPERATORS MATCHES "^(all|slides)$")
  message(FATAL_ERROR "MACAREU_OPERATORS: expected all or slides, got '${MACAREU_OPERATORS}'")
endif()
# Keys of 32 and 64 bits have files of their own, too. The module for GPUs has all operators, which need them.
set(has_wide_keys ON)
if(MACAREU_OPERATORS STREQUAL "slides" AND NOT MACAREU_USES_CUDA)
  set(has_wide_keys OFF)
endif()
# What `make run` runs, nuclei and their evaluation: the types of the first input, and whether in pieces too. It has
# files of its own, and a build for slides has no others.
set(first_part above_own_level=u32 closing=u8,u16 contours=u32,pieces convolve=f32 dilation=u8 distance_transform=u8,u32
  enlarge=u16 evaluate=u32 fill_holes=u8,u16,pieces gaussian=u16,f32 h_minima=u16,pieces label=u8,u32,pieces
  labels_between=u32 local_level=f32 measure=u32,pieces merge_regions=u32,pieces nuclear_landscape=f32 opening=u8
  pale_centres=u16 part_above=u16 reduce=u16 relabel=u32,pieces remove_small=u8 stain_density=u8 stained_foreground=u16
  unmix=u8 watershed=u16,pieces)
foreach(pair IN LISTS first_part)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched ${pair})
  set(op ${CMAKE_MATCH_1})
  string(REPLACE "," ";" types ${CMAKE_MATCH_2})
  set(pieces false)
  if("pieces" IN_LIST types)
    set(pieces true)
    list(REMOVE_ITEM types pieces)
  endif()
  list(TRANSFORM types PREPEND "dtype::")
  list(JOIN types ", " types)
  list(APPEND slide_operators ${op})
  set(types_of_${op} ", set_of(${types}), ${pieces}")
endforeach()
# Pairs of a name, which ends in _others where a build for slides does without, and of the part of the code.
function(stamps_of variable engine op)
  if(NOT engine STREQUAL "cpu")
    set(stamps ${op}=all)
  elseif(op IN_LIST slide_operators)
    set(stamps ${op}=first ${op}_others=rest)
  else()
    set(stamps ${op}_others=all)
  endif()
  if(MACAREU_OPERATORS STREQUAL "slides")
    list(FILTER stamps EXCLUDE REGEX "_others=")
  endif()
  set(${variable} ${stamps} PARENT_SCOPE)
endfunction()

foreach(op IN LISTS operators)
  set(op_header ${header_of_${op}})
  string(APPEND includes "#include \"${op_header}\"\n")
  string(APPEND visits "visit(std::type_identity<operators::${op}>{});\n  ")
  string(APPEND descriptions "operators::${op}::about, ")
  foreach(engine IN LISTS engines)
    set(engine_header engines/${engine}/engine.hpp)
    set(stamp_end .cpp)
    set(pieces_include "#include \"engines/pieces/engine.hpp\"")
    set(list)
    if(engine STREQUAL "serial")
      set(pieces_include)  # it defines results, and is too slow for images in pieces
    elseif(engine STREQUAL "cuda")
      set(engine_header engines/cuda/engine.cuh)
      set(stamp_end .cu)
      set(list cuda_)
    endif()
    stamps_of(stamps ${engine} ${op})
    foreach(pair IN LISTS stamps)
      string(REPLACE "=" ";" pair ${pair})
      list(GET pair 0 name)
      list(GET pair 1 part)
      set(types)
      if(NOT part STREQUAL "all")
        set(types ${types_of_${op}})
      endif()
      set(stamp ${generated}/${engine}/${name}${stamp_end})
      configure_file(cmake/stamp.cpp.in ${stamp} @ONLY)
      if(engine STREQUAL "cuda" AND op MATCHES "^(distance_transform|measure|median)$")
        # Many long kernels, so that one file would keep the others waiting.
        set_source_files_properties(${stamp} PROPERTIES COMPILE_OPTIONS --split-compile=0)
      endif()
      if(engine STREQUAL "cpu" AND op IN_LIST hot_operators)
        list(APPEND hot_stamps ${stamp})
        list(APPEND hot_entries ${name})
        if(NOT has_baseline)
          continue()  # its entries are those of the sets
        endif()
      else()
        list(APPEND ${engine}_stamps ${stamp})
      endif()
      string(APPEND ${list}declarations "entry entry_${engine}_${name}();\n")
      string(APPEND ${list}calls "entry_${engine}_${name}(), ")
    endforeach()
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

# The engine-independent part of the catalogue.
add_library(macareu_descriptions OBJECT ${generated}/descriptions.cpp
  src/catalogue/arguments.cpp src/catalogue/suggestion.cpp src/core/connectivity.cpp src/core/error.cpp src/core/host_memory.cpp
  src/core/image.cpp src/core/table.cpp src/operators/morphology/footprints.cpp
  src/operators/objects/labels/column_ranges.cpp
  src/operators/objects/measures/object_table.cpp src/operators/objects/measures/surface_weights.cpp
  src/operators/points/stains.cpp)  # descriptions point to their checks
target_link_libraries(macareu_descriptions PRIVATE macareu_parts)
target_compile_options(macareu_descriptions PRIVATE $<$<CONFIG:Release>:-O1>)
set_source_files_properties(src/operators/objects/measures/object_table.cpp PROPERTIES
  COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)  # it goes over all objects
# Two groups, because some names of their own are the same.
set_target_properties(macareu_descriptions PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
set_source_files_properties(${generated}/descriptions.cpp src/catalogue/arguments.cpp src/catalogue/suggestion.cpp
  src/core/connectivity.cpp src/core/error.cpp src/core/host_memory.cpp src/core/image.cpp src/core/table.cpp
  src/operators/morphology/footprints.cpp PROPERTIES UNITY_GROUP descriptions)
set_source_files_properties(src/operators/objects/labels/column_ranges.cpp src/operators/points/stains.cpp
  PROPERTIES UNITY_GROUP checks)

# The public functions come from the descriptions.
add_executable(write_catalogue tools/write_catalogue.cpp tools/operator_pages.cpp)
target_compile_options(write_catalogue PRIVATE $<$<CONFIG:Release>:-O0>)  # it runs once or twice
target_link_libraries(write_catalogue PRIVATE macareu_descriptions macareu_parts)
set_target_properties(write_catalogue PROPERTIES UNITY_BUILD ON)
set(api_header ${generated}/include/macareu/operators.hpp)
set(api_source ${generated}/operators.cpp)
add_custom_command(
  OUTPUT ${api_header} ${api_source}
  COMMAND write_catalogue header ${api_header}
  COMMAND write_catalogue source ${api_source}
  DEPENDS write_catalogue)
add_custom_target(macareu_api DEPENDS ${api_header} ${api_source})

# The serial engine is the definition and need not be fast: one compiler run for several operators.
if(MACAREU_SERIAL)
  add_library(macareu_serial OBJECT ${serial_stamps})
  target_link_libraries(macareu_serial PRIVATE macareu_parts)
  target_compile_options(macareu_serial PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(macareu_serial PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
endif()

# Loops with a root, or a choice between sums, are vectorised with these options only. -O3 takes half as long again to
# compile: it is for the operators that are slower without it. The others get its limits for inlining, without which
# Sobel's takes 1.4 times as long.
set(cpu_options -fno-math-errno -fno-trapping-math)
set(needs_o3 canny distance_transform expand_labels measure nearest_label nearest_site)
list(TRANSFORM needs_o3 PREPEND ${generated}/cpu/)
set(needs_o3_others ${needs_o3})
list(TRANSFORM needs_o3 APPEND .cpp)
list(TRANSFORM needs_o3_others APPEND _others.cpp)
list(APPEND needs_o3 ${needs_o3_others})
# Operators of one group share most of their code, or what they include: one compiler run for each group.
set(waves reconstruct hmax hmin hdome h_maxima h_minima clear_border fill_holes hysteresis watershed
  opening_by_reconstruction closing_by_reconstruction)
set(extrema maxima minima)
set(nearest distance_transform expand_labels nearest_label nearest_site)
set(points add subtract blend clip invert luminance rescale signed_distance site_places unmix)
set(morphology erosion dilation opening closing white_tophat black_tophat morphological_gradient)
set(scaling reduce enlarge)
set(sums convolve correlate_axis laplacian_of_gaussian)
set(rows contours evaluate label_histograms merge_regions)
set(nuclei above_own_level labels_between local_level nuclear_landscape pale_centres part_above stain_density
  stained_foreground)
set(single ${operators})
foreach(group extrema waves nearest points scaling morphology sums rows nuclei)
  foreach(op IN LISTS ${group})
    set_source_files_properties(${generated}/cpu/${op}_others.cpp PROPERTIES UNITY_GROUP ${group}_others)
    list(REMOVE_ITEM single ${op})
  endforeach()
endforeach()
foreach(op IN LISTS single)
  string(REGEX REPLACE "^operators/([^/]+)/.*" "\\1" folder ${header_of_${op}})
  set_source_files_properties(${generated}/cpu/${op}_others.cpp PROPERTIES UNITY_GROUP ${folder}_others)
endforeach()
# The first parts have little code each.
foreach(op IN LISTS slide_operators)
  set(group local)
  if(op IN_LIST waves)
    set(group waves)
  elseif(op MATCHES "^(distance_transform|measure)$")
    set(group described)
  elseif(op IN_LIST rows OR op MATCHES "^(relabel|remove_small)$")
    set(group objects)
  endif()
  set_source_files_properties(${generated}/cpu/${op}.cpp PROPERTIES UNITY_GROUP ${group})
endforeach()
set(gnu_release $<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>)
# The targets macareu_cpu and macareu_cpu_o3 with a suffix, of generated files, and their list cpu_targets. The first
# parts have targets of their own: new files in a target change its flags file, and all of it would be compiled again.
function(add_cpu_operators suffix)
  set(cpu_targets)
  foreach(types first others)
    set(o3 ${ARGN})
    if(types STREQUAL "others")
      string(APPEND suffix _others)
      list(FILTER o3 INCLUDE REGEX "_others[.]cpp$")
    else()
      list(FILTER o3 EXCLUDE REGEX "_others[.]cpp$")
    endif()
    set(usual ${o3})
    list(REMOVE_ITEM usual ${needs_o3})
    list(REMOVE_ITEM o3 ${usual} "")
    if(usual)
      add_library(macareu_cpu${suffix} OBJECT ${usual})
      target_compile_options(macareu_cpu${suffix} PRIVATE $<$<CONFIG:Release>:-O2 -ftree-vectorize>
        $<${gnu_release}:-fvect-cost-model=dynamic --param=max-inline-insns-single=200 --param=max-inline-insns-auto=30
        --param=inline-min-speedup=15>)
      if(types STREQUAL "others")  # for a few compiler runs it takes longer than it saves
        target_precompile_headers(macareu_cpu${suffix} PRIVATE src/catalogue/entry.hpp src/engines/cpu/engine.hpp
          src/engines/pieces/engine.hpp)
      endif()
      list(APPEND cpu_targets macareu_cpu${suffix})
    endif()
    if(o3)
      add_library(macareu_cpu_o3${suffix} OBJECT ${o3})
      list(APPEND cpu_targets macareu_cpu_o3${suffix})
    endif()
  endforeach()
  foreach(target IN LISTS cpu_targets)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_link_libraries(${target} PRIVATE macareu_parts)
    target_compile_options(${target} PRIVATE ${cpu_options})
  endforeach()
  set(cpu_targets ${cpu_targets} PARENT_SCOPE)
endfunction()
# Beside this machine's set the baseline is a fallback, whose time to compile counts more than its speed.
if(has_baseline)
  if(MACAREU_INSTRUCTION_SETS STREQUAL "all" OR NOT better_sets)
    list(APPEND cpu_stamps ${hot_stamps})
  else()
    add_library(macareu_cpu_fallback OBJECT ${hot_stamps})
    target_link_libraries(macareu_cpu_fallback PRIVATE macareu_parts)
    target_compile_options(macareu_cpu_fallback PRIVATE $<$<CONFIG:Release>:-O1> ${cpu_options})
    set_target_properties(macareu_cpu_fallback PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
    set(fallback_objects $<TARGET_OBJECTS:macareu_cpu_fallback>)
  endif()
endif()
add_cpu_operators("" ${cpu_stamps})
list(TRANSFORM cpu_targets REPLACE ".+" "$<TARGET_OBJECTS:\\0>" OUTPUT_VARIABLE cpu_objects)

add_library(macareu
  $<TARGET_OBJECTS:macareu_descriptions> ${cpu_objects} ${fallback_objects}
  ${generated}/entries.cpp ${api_source} ${api_header}
  src/core/compare.cpp src/core/module.cpp src/core/shapes.cpp src/core/sources.cpp
  src/core/coding/coded_file.cpp src/core/coding/pixel_code.cpp src/core/ranks/ranks.cpp
  src/patterns/component_rims.cpp src/patterns/host_rows.cpp
  src/operators/common/checks.cpp src/operators/common/pixel_bits.cpp
  src/operators/edges/canny_plan.cpp src/operators/edges/discrete_gaussian.cpp
  src/operators/objects/labels/label_rows.cpp src/operators/objects/measures/overlaps.cpp
  src/operators/objects/outlines/contour_bands.cpp src/operators/objects/outlines/contour_sweep.cpp
  src/operators/objects/outlines/label_extents.cpp
  src/operators/objects/regions/region_merging.cpp src/operators/objects/regions/watershed_checks.cpp
  src/catalogue/catalogue.cpp src/catalogue/channels.cpp src/catalogue/checks.cpp src/catalogue/cuda_loader.cpp
  src/catalogue/device_choice.cpp src/catalogue/device_pool.cpp src/catalogue/gpu_start_up.cpp src/catalogue/machine.cpp
  src/catalogue/device_of_pieces.cpp src/catalogue/pieces.cpp src/catalogue/results_of_ranks.cpp
  src/slides/nuclei/nuclei.cpp src/slides/nuclei/nuclei_recipe.cpp
  src/slides/steps/buffers.cpp src/slides/steps/object_boxes.cpp src/slides/steps/read_steps.cpp
  src/slides/steps/step_runner.cpp src/slides/steps/steps.cpp src/slides/steps/value_counts.cpp
  src/slides/tissue/tissue_parts.cpp src/slides/tissue/tissue_source.cpp)
if(MACAREU_SERIAL)
  target_sources(macareu PRIVATE $<TARGET_OBJECTS:macareu_serial>)
endif()
add_library(macareu::macareu ALIAS macareu)
add_dependencies(macareu macareu_api)
target_include_directories(macareu
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${generated}/include>
         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_compile_features(macareu PUBLIC cxx_std_20)
find_package(Threads REQUIRED)
target_link_libraries(macareu PRIVATE $<BUILD_INTERFACE:macareu_parts> OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS})
include(cmake/modules.cmake)
target_precompile_headers(macareu PRIVATE <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <limits>
  <memory> <numeric> <span> <string> <string_view> <utility> <vector> src/core/call.hpp)
# One compiler run for files that include the same headers.
set_target_properties(macareu PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
function(compile_together group)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY macareu PROPERTIES UNITY_GROUP ${group})
endfunction()
compile_together(core src/core/coding/coded_file.cpp src/core/compare.cpp src/core/module.cpp
  src/core/ranks/ranks.cpp src/core/shapes.cpp src/core/sources.cpp src/patterns/component_rims.cpp
  src/patterns/host_rows.cpp src/operators/common/checks.cpp src/operators/common/pixel_bits.cpp)
compile_together(plans src/operators/edges/canny_plan.cpp src/operators/edges/discrete_gaussian.cpp
  src/operators/objects/labels/label_rows.cpp src/operators/objects/measures/overlaps.cpp
  src/operators/objects/outlines/contour_bands.cpp src/operators/objects/outlines/contour_sweep.cpp
  src/operators/objects/outlines/label_extents.cpp src/operators/objects/regions/region_merging.cpp
  src/operators/objects/regions/watershed_checks.cpp)
compile_together(slides src/slides/nuclei/nuclei.cpp src/slides/nuclei/nuclei_recipe.cpp
  src/slides/steps/buffers.cpp src/slides/steps/object_boxes.cpp src/slides/steps/read_steps.cpp
  src/slides/steps/step_runner.cpp src/slides/steps/steps.cpp src/slides/steps/value_counts.cpp
  src/slides/tissue/tissue_parts.cpp src/slides/tissue/tissue_source.cpp)
compile_together(catalogue ${api_source} src/catalogue/catalogue.cpp src/catalogue/channels.cpp
  src/catalogue/checks.cpp src/catalogue/device_choice.cpp src/catalogue/device_of_pieces.cpp src/catalogue/device_pool.cpp
  src/catalogue/gpu_start_up.cpp src/catalogue/machine.cpp src/catalogue/pieces.cpp src/catalogue/results_of_ranks.cpp)
add_subdirectory(src/mpi)
add_subdirectory(src/engines/cpu)
add_subdirectory(src/engines/pieces)
add_instruction_sets()
add_subdirectory(src/engines/cuda)
add_subdirectory(src/instances)
unset(CMAKE_POSITION_INDEPENDENT_CODE)
