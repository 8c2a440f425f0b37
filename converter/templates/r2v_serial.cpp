// The reference: plain loops, pixel by pixel. Other engines must give the same bits.
#include "@NAME@.hpp"

#include <algorithm>

namespace serial {

void run(const job& work) {
  std::fill_n(work.result, work.bins, rule::result_type{0});
  for (long long i = 0; i < work.size.pixels(); ++i)
    rule::count(work.images[0][i], work.result, work.bins, work.given);
}

}  // namespace serial
