# The hot code of the cpu engine, once more for every instruction set beyond the baseline's.
#
# All objects of a set are linked to one. Groups that a linker merges by name are dissolved, and all symbols but that of
# the set's table become local: code for newer processors cannot replace common code.
set(MACAREU_INSTRUCTION_SETS host CACHE STRING "Instruction sets beside the baseline: host, this machine's best, or all")
set_property(CACHE MACAREU_INSTRUCTION_SETS PROPERTY STRINGS host all)
if(NOT MACAREU_INSTRUCTION_SETS MATCHES "^(host|all)$")
  message(FATAL_ERROR "MACAREU_INSTRUCTION_SETS: expected host or all, got '${MACAREU_INSTRUCTION_SETS}'")
endif()

option(MACAREU_BASELINE "Code for every processor of this kind beside that for the instruction sets" ON)

# What a set is compiled with, src/engines/cpu/runtime/instruction_set.cpp looks for at run time.
set(name_of_generic generic)
set(name_of_neon NEON)
set(name_of_sse2 SSE2)
set(name_of_avx2 AVX2)
set(name_of_avx512 AVX-512)
set(options_of_avx2 -mavx2 -mbmi -mbmi2 -mfma -mlzcnt -mpopcnt)
set(options_of_avx512 ${options_of_avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)

# The baseline, and the sets beside it from the least to the best.
set(baseline_set generic)
set(better_sets)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(baseline_set sse2)
  set(better_sets avx2 avx512)
  if(MACAREU_INSTRUCTION_SETS STREQUAL "host" AND NOT CMAKE_CROSSCOMPILING)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    if(flags MATCHES " avx512vl( |$)")
      set(better_sets avx512)
    elseif(flags MATCHES " avx2( |$)")
      set(better_sets avx2)
    else()
      set(better_sets)
    endif()
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(baseline_set neon)
endif()

set(has_baseline ON)
if(better_sets AND NOT MACAREU_BASELINE)
  set(has_baseline OFF)
endif()

# The operators that gain at least a tenth (docs/decisions/0023-instruction-sets.md), and what they call.
set(hot_operators canny correlate_axis gaussian hysteresis label maxima measure median minima sobel
  stain_density)
set(hot_sources
  src/engines/cpu/basins/basin_tile.cpp
  src/engines/cpu/component/lines.cpp
  src/engines/cpu/component/united_runs.cpp
  src/engines/cpu/line/bundles.cpp
  src/engines/cpu/reduce/byte_counts.cpp)
# What common code calls through the table of an instruction set only.
set(kernels
  src/engines/cpu/line/envelope_kernel.cpp
  src/engines/cpu/line/squares_kernel.cpp
  src/engines/cpu/window/extreme_kernel.cpp
  src/engines/cpu/window/sum_kernel.cpp
  src/engines/cpu/window/summit_kernel.cpp)
list(APPEND kernels src/engines/cpu/wave/binary.cpp src/engines/cpu/wave/worklist.cpp)
set_source_files_properties(${kernels} PROPERTIES UNITY_GROUP kernels)
# Their loops are written with vectors; -O3 takes 1.3 times as long to compile.
list(APPEND kernels src/engines/cpu/wave/narrow_keys.cpp)
set_source_files_properties(src/engines/cpu/wave/narrow_keys.cpp src/engines/cpu/wave/wide_keys.cpp PROPERTIES
  COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2;-ftree-vectorize>")

# How the kernels of a set are compiled.
function(compile_kernels target)
  target_link_libraries(${target} PRIVATE macareu_parts)
  target_compile_options(${target} PRIVATE -fno-math-errno)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Objects of a set's kernels, macareu_SET, and of those that a build for slides does without.
function(add_kernels set)
  add_library(macareu_${set} OBJECT ${ARGN} ${kernels} ${generated}/instruction_sets/${set}.cpp)
  set(parts macareu_${set})
  if(has_wide_keys)
    add_library(macareu_${set}_wide OBJECT src/engines/cpu/wave/wide_keys.cpp)
    list(APPEND parts macareu_${set}_wide)
  endif()
  foreach(part IN LISTS parts)
    compile_kernels(${part})
  endforeach()
  set(kernel_targets ${parts} PARENT_SCOPE)
endfunction()

# The table of a set, with the entries that it has.
function(write_table set)
  set(wide_waves nullptr)
  if(has_wide_keys)
    set(wide_waves "&own_wide_wave_kernels")
  endif()
  set(set_name ${name_of_${set}})
  list(LENGTH ARGN set_count)
  foreach(name IN LISTS ARGN)
    string(APPEND set_declarations "entry entry_cpu_${name}();\n")
    string(APPEND set_entries "&entry_cpu_${name}, ")
  endforeach()
  configure_file(cmake/instruction_set.cpp.in ${generated}/instruction_sets/${set}.cpp @ONLY)
endfunction()

function(add_better_set set)
  write_table(${set} ${hot_entries})
  add_kernels(${set} ${hot_sources})
  add_cpu_operators(_${set} ${hot_stamps})
  set(objects)
  foreach(part IN LISTS kernel_targets cpu_targets)
    # Unique symbols would stay global.
    target_compile_options(${part} PRIVATE ${options_of_${set}} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${part}>,EXCLUDE,[.][gp]ch$>)  # without precompiled headers
    add_dependencies(macareu ${part})
  endforeach()
  set(whole ${generated}/instruction_sets/${set}.o)
  add_custom_command(OUTPUT ${whole}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${whole} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=macareu_${set} ${whole}
    DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(macareu PRIVATE ${whole})
endfunction()

# All of them, to the target macareu.
function(add_instruction_sets)
  set(sets ${better_sets})
  if(has_baseline)
    write_table(${baseline_set})
    # Not files of macareu: with and without them its other files would be compiled again.
    add_kernels(${baseline_set})
    foreach(part IN LISTS kernel_targets)
      target_sources(macareu PRIVATE $<TARGET_OBJECTS:${part}>)
    endforeach()
    list(PREPEND sets ${baseline_set})
  endif()
  list(LENGTH sets table_count)
  foreach(set IN LISTS sets)
    string(APPEND table_declarations "extern \"C\" const instruction_set macareu_${set};\n")
    string(APPEND tables "&macareu_${set}, ")
  endforeach()
  configure_file(cmake/instruction_sets.cpp.in ${generated}/instruction_sets.cpp @ONLY)
  target_sources(macareu PRIVATE ${generated}/instruction_sets.cpp)
  foreach(set IN LISTS better_sets)
    add_better_set(${set})
  endforeach()
endfunction()
