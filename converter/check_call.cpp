#include <algorithm>
#include <cstdint>
#include <limits>

#include <macareu/error.hpp>

#include "call.hpp"

namespace macareu::converter {

std::size_t result_size(const call& given) {
  const auto& about = given.about;
  const auto value = size_of(about.result.type) * static_cast<std::size_t>(about.result.channels);
  if (about.kind == category::r2s) return value;
  if (about.kind == category::r2v) return value * static_cast<std::size_t>(given.bins);
  return value * static_cast<std::size_t>(given.shape().pixels());
}

void check_call(const call& given) {
  const auto& about = given.about;
  const auto& shape = given.shape();
  for (const auto* each : given.images)
    if (each->shape() != shape)
      throw usage_error("images of different shapes: " + to_string(shape) + " and " +
                        to_string(each->shape()));
  if (about.kind == category::p2p && !about.wide_index && shape.pixels() > std::numeric_limits<int>::max())
    throw usage_error("an image of " + to_string(shape) +
                      " has more pixels than the function's int index can count; "
                      "make it long long");
  if (about.kind == category::n2p && static_cast<int>(about.window.size()) != shape.rank())
    throw usage_error("the function's window has " + std::to_string(about.window.size()) +
                      " axes, the image " + std::to_string(shape.rank()) + " (" + to_string(shape) + ")");
  if (about.kind == category::n2p) {
    constexpr std::int64_t most = std::numeric_limits<int>::max() - 65536;  // kernels overshoot a little
    if (std::max({shape.depth(), shape.height(), shape.width()}) > most)
      throw usage_error("an image of " + to_string(shape) +
                        " has an axis longer than the function's int x, y and z reach");
  }
  if (about.kind == category::r2s && shape.pixels() == 0)
    throw usage_error("an image without pixels cannot be reduced to a value");
  if (about.kind == category::iwpp) {
    const int n = given.connectivity;
    const bool fits = shape.rank() == 2 ? n == 4 || n == 8 : n == 6 || n == 18 || n == 26;
    if (!fits)
      throw usage_error("connectivity " + std::to_string(n) + " on " + to_string(shape) +
                        " pixels; expected " + (shape.rank() == 2 ? "4 or 8" : "6, 18 or 26"));
  }
}

}  // namespace macareu::converter
