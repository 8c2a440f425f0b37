// The reference: plain loops, in the order of the rule's file. Other engines must give the same bits.
#include "@NAME@.hpp"

#include <vector>

namespace serial {
namespace {

template <class T, class Value>
T joined(const Value* values, long long count, const rule::parameters& given) {
  std::vector<T> parts;
  for (long long begin = 0; begin < count; begin += rule::chunk)
    parts.push_back(
        rule::join_chunk<T>(values + begin, std::min<long long>(rule::chunk, count - begin), given));
  return parts.size() == 1 ? parts[0] : joined<T>(parts.data(), static_cast<long long>(parts.size()), given);
}

}  // namespace

template <class T>
T run(const job& work) {
  return joined<T>(work.images[0], work.size.pixels(), work.given);
}

@INSTANCES@
}  // namespace serial
