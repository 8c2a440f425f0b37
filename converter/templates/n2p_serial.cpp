// The reference: plain loops, pixel by pixel. Other engines must give the same bits.
#include "@NAME@.hpp"

namespace serial {

void run(const job& work) {
  const auto& size = work.size;
  for (long long z = 0; z < size.depth; ++z)
    for (long long y = 0; y < size.height; ++y)
      for (long long x = 0; x < size.width; ++x) {
        rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
        for (int c = 0; c < rule::window_depth; ++c)
          for (int b = 0; b < rule::window_height; ++b)
            for (int a = 0; a < rule::window_width; ++a) {
              const auto k = rule::inside(z + c - rule::window_depth / 2, size.depth);
              const auto j = rule::inside(y + b - rule::window_height / 2, size.height);
              const auto i = rule::inside(x + a - rule::window_width / 2, size.width);
              window[c][b][a] = i < 0 || j < 0 || k < 0
                                    ? rule::pixel_type{}
                                    : work.images[0][(k * size.height + j) * size.width + i];
            }
        work.result[(z * size.height + y) * size.width + x] =
            rule::apply(window, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), work.given);
      }
}

}  // namespace serial
