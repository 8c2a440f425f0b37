// The reference: plain loops, pixel by pixel. Other engines must give the same bits.
#include "@NAME@.hpp"

namespace serial {

void run(const job& work) {
  for (long long i = 0; i < work.size.pixels(); ++i) {
    rule::pixel_type pixel[rule::inputs];
    for (int k = 0; k < rule::inputs; ++k) pixel[k] = work.images[k][i];
    work.result[i] = rule::apply(pixel, i, work.given);
  }
}

}  // namespace serial
