// The reference: a queue of changed pixels. Other engines give the same bits if `better` is a total order and
// `offer` is monotonic. Then the order of visits does not matter.
#include "@NAME@.hpp"

#include <algorithm>
#include <deque>

namespace serial {

void run(const job& work) {
  const auto& size = work.size;
  const auto around = rule::neighbours(work.connectivity);
  std::copy_n(work.images[0], size.pixels(), work.result);
  std::deque<long long> waiting;
  for (long long p = 0; p < size.pixels(); ++p) waiting.push_back(p);
  while (!waiting.empty()) {
    const long long p = waiting.front();
    waiting.pop_front();
    const long long x = p % size.width, y = p / size.width % size.height, z = p / size.width / size.height;
    for (int n = 0; n < around.count; ++n) {
      const long long i = x + around.steps[n].x, j = y + around.steps[n].y, k = z + around.steps[n].z;
      if (i < 0 || j < 0 || k < 0 || i >= size.width || j >= size.height || k >= size.depth) continue;
      const long long q = (k * size.height + j) * size.width + i;
      const auto offered = rule::offer(work.result[p], work.capacity[q], work.given);
      if (!rule::better(offered, work.result[q], work.given)) continue;
      work.result[q] = offered;
      waiting.push_back(q);
    }
  }
}

}  // namespace serial
