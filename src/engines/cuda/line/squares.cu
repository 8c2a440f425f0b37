#include "engines/cuda/line/squares.cuh"

#include <algorithm>

#include "core/ceil_div.hpp"
#include "engines/cuda/line/square_kernels.cuh"
#include "engines/cuda/runtime/shared_memory.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {
namespace {

constexpr std::int64_t padded(std::int64_t width) { return ceil_div(width, 128) * 128; }

/// Bytes of whole lines in shared memory.
template <int Lines>
std::size_t line_bytes(std::int64_t width) {
  const auto chunks = static_cast<int>(ceil_div(width, shared_lines<Lines>::chunk));
  return 4 * static_cast<std::size_t>(shared_lines<Lines>::words(static_cast<int>(padded(width))) +
                                      ceil_div(open_chunks<Lines>::words(chunks), 4) * 4);
}
/// The same, with memory for the results.
template <int Lines>
std::size_t column_bytes(std::int64_t length) {
  return line_bytes<Lines>(length) + 4 * static_cast<std::size_t>(Lines * padded(length));
}

template <int Lines, int Threads, class Finish>
void run_rows(const gpu& on, const row_problem& problem, const stacked_rows<typename Finish::result>& out,
              bool aligned, const Finish& finish) {
  allow_shared_memory<square_rows<Lines, Threads, Finish>>(on);
  const auto blocks = out.rows * ceil_div(out.length, Lines);
  launch_dependent(on, "square_rows", square_rows<Lines, Threads, Finish>, static_cast<unsigned>(blocks),
                   Threads, line_bytes<Lines>(out.width), problem, out, aligned, finish);
}

/// As many rows per block as leave room for other blocks.
template <int Threads, class Finish>
void run_whole_rows(const gpu& on, const row_problem& problem,
                    const stacked_rows<typename Finish::result>& out, bool aligned, const Finish& finish) {
  if (line_bytes<4>(out.width) <= tuning::most_row_bytes)
    run_rows<4, Threads>(on, problem, out, aligned, finish);
  else if (line_bytes<2>(out.width) <= tuning::most_row_bytes)
    run_rows<2, Threads>(on, problem, out, aligned, finish);
  else
    run_rows<1, Threads>(on, problem, out, aligned, finish);
}

template <int Lines, int Threads, class Finish>
void run_columns(const gpu& on, std::uint32_t none, const view<const std::uint32_t>& values,
                 const view<typename Finish::result>& out, const Finish& finish) {
  allow_shared_memory<square_columns<Lines, Threads, Finish>>(on);
  const auto blocks = out.depth * ceil_div(out.width, Lines);
  launch_dependent(on, "square_columns", square_columns<Lines, Threads, Finish>,
                   static_cast<unsigned>(blocks), Threads, column_bytes<Lines>(out.height), values,
                   has_aligned_groups(values, Lines), out, has_aligned_groups(out, Lines), none, finish);
}

}  // namespace

bool squares_fit(const gpu& on, std::int64_t columns, std::int64_t width) {
  constexpr std::int64_t longest = 1 << 20;  // so that bytes fit an int
  const auto limit = shared_limit(on);
  return std::max(columns, width) <= longest && line_bytes<1>(width) <= limit &&
         column_bytes<1>(columns) <= limit;
}

template <class Finish>
void run_square_rows(const gpu& on, const site_memory& sites, std::uint32_t none, line_axis first,
                     const view<typename Finish::result>& out, const Finish& finish) {
  constexpr int window = tuning::row_window, halo = tuning::row_window_halo,
                threads = tuning::row_window_threads;
  const stacked_rows<typename Finish::result> rows(first, out);
  const bool aligned = has_aligned_groups(out, 4);
  row_problem problem{sites.words(),
                      none,
                      nullptr,
                      sites.flags_per_row(),
                      sites.column_flags(),
                      sites.column_flags_per_row()};
  if (rows.width <= tuning::narrow_row)
    return run_rows<4, tuning::narrow_row_threads>(on, problem, rows, aligned, finish);
  problem.flags = sites.flags();
  const auto windows = ceil_div(rows.width, window) * rows.rows * sites.flags_per_row();
  launch_dependent(on, "square_windows", square_windows<window, halo, threads, Finish>,
                   static_cast<unsigned>(windows), threads, 4 * shared_lines<4>::words(window + 2 * halo),
                   problem, rows, aligned, finish);
  run_whole_rows<tuning::whole_row_threads>(on, problem, rows, aligned, finish);
}

template <class Finish>
void run_square_columns(const gpu& on, std::uint32_t none, const view<const std::uint32_t>& values,
                        const view<typename Finish::result>& out, const Finish& finish) {
  if (out.height <= tuning::short_column)
    run_columns<4, tuning::short_column_threads>(on, none, values, out, finish);
  else if (column_bytes<4>(out.height) <= shared_limit(on))
    run_columns<4, tuning::long_column_threads>(on, none, values, out, finish);
  else
    run_columns<1, tuning::long_column_threads>(on, none, values, out, finish);
}

template void run_square_rows(const gpu&, const site_memory&, std::uint32_t, line_axis,
                              const view<std::uint32_t>&, const keep_square&);
template void run_square_rows(const gpu&, const site_memory&, std::uint32_t, line_axis, const view<float>&,
                              const square_root&);
template void run_square_columns(const gpu&, std::uint32_t, const view<const std::uint32_t>&,
                                 const view<std::uint32_t>&, const keep_square&);
template void run_square_columns(const gpu&, std::uint32_t, const view<const std::uint32_t>&,
                                 const view<float>&, const square_root&);

}  // namespace macareu::cuda
