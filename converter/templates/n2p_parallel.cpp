namespace parallel {
namespace {

/// A pixel near the border: every window position goes through the border rule.
rule::result_type near_border(const job& work, long long x, long long y, long long z) {
  const auto& size = work.size;
  rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
  for (int c = 0; c < rule::window_depth; ++c)
    for (int b = 0; b < rule::window_height; ++b)
      for (int a = 0; a < rule::window_width; ++a) {
        const auto k = rule::inside(z + c - rule::window_depth / 2, size.depth);
        const auto j = rule::inside(y + b - rule::window_height / 2, size.height);
        const auto i = rule::inside(x + a - rule::window_width / 2, size.width);
        window[c][b][a] = i < 0 || j < 0 || k < 0 ? rule::pixel_type{}
                                                  : work.images[0][(k * size.height + j) * size.width + i];
      }
  return rule::apply(window, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), work.given);
}

/// A pixel whose window lies inside: `first` is the window's first pixel.
rule::result_type within(const job& work, const rule::pixel_type* first, long long x, long long y,
                         long long z) {
  const auto& size = work.size;
  rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
  for (int c = 0; c < rule::window_depth; ++c)
    for (int b = 0; b < rule::window_height; ++b)
      for (int a = 0; a < rule::window_width; ++a)
        window[c][b][a] = first[(c * size.height + b) * size.width + a];
  return rule::apply(window, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), work.given);
}

/// Computes rows `begin` to before `end`, counted over all slices.
void compute(const job& work, long long begin, long long end) {
  const auto& size = work.size;
  constexpr int up = rule::window_depth / 2, half = rule::window_height / 2, left = rule::window_width / 2;
  for (long long row = begin; row < end; ++row) {
    const long long z = row / size.height, y = row % size.height;
    auto* out = work.result + row * size.width;
    const bool middle =
        z >= up && z + up < size.depth && y >= half && y + half < size.height && size.width > 2 * left;
    const long long first_within = middle ? left : size.width;
    for (long long x = 0; x < first_within; ++x) out[x] = near_border(work, x, y, z);
    if (!middle) continue;
    const auto* first = work.images[0] + ((z - up) * size.height + y - half) * size.width - left;
    for (long long x = left; x < size.width - left; ++x) out[x] = within(work, first + x, x, y, z);
    for (long long x = size.width - left; x < size.width; ++x) out[x] = near_border(work, x, y, z);
  }
}

}  // namespace

/// Pixels are independent: every thread takes rows.
template <class Threads>
void run(const Threads& threads, const job& work) {
  threads(work.size.depth * work.size.height, [&](int, long long row) { compute(work, row, row + 1); });
}

}  // namespace parallel
