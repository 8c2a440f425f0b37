#include "pixelwise_on_host.hpp"

#include <algorithm>

#include "macareu/itk/run.hpp"
#include "pixelwise.hpp"

namespace macareu::itk::pixelwise {
namespace {

struct by_threads {
  ::itk::ProcessObject& filter;

  template <class Body>
  void each(std::int64_t count, const Body& body) const {
    in_parallel(filter, count, [&](std::int64_t first, std::int64_t last) {
      const Body mine = body;  // which no pixel that is written can change
      for (auto i = first; i < last; ++i) mine(i);
    });
  }

  template <class T>
  struct here {
    std::span<const T> values;
    const T* get() const { return values.data(); }
  };
  template <class T>
  here<T> table(std::span<const T> values) const {
    return {values};
  }
};

}  // namespace

void apply_on_host(::itk::ProcessObject& filter, const work& what, std::span<const const_image_view> from,
                   const image_view& to) {
  apply(by_threads{filter}, what, {from, to});
}

bool any_on_host(const const_image_view& mask) {
  const auto* first = static_cast<const bool*>(mask.data());
  const auto* last = first + mask.shape().pixels();
  return std::find(first, last, true) != last;
}

std::vector<std::uint64_t> sizes_on_host(const const_image_view& labels) {
  std::vector<std::uint64_t> sizes(1, 0);
  const auto pixels = labels.shape().pixels();
  if (pixels == 0) return sizes;
  with_type(labels.type(), [&]<class T>(std::type_identity<T>) {
    const auto* from = static_cast<const T*>(labels.data());
    T most{};
    bool negative = false, vast = false;
    for (std::int64_t i = 0; i < pixels; ++i) {
      negative |= !(from[i] >= T{});  // NaN too
      most = std::max(most, from[i]);
    }
    if constexpr (std::is_floating_point_v<T>) vast = !(most < T{0x1p63});  // no integer may be made of it
    require_small(negative || vast, vast ? 0 : static_cast<std::uint64_t>(most), pixels);
    sizes.resize(static_cast<std::size_t>(most) + 1, 0);
    for (std::int64_t i = 0; i < pixels;) {
      const auto first = i;
      while (i < pixels && from[i] == from[first]) ++i;
      sizes[static_cast<std::size_t>(from[first])] += static_cast<std::uint64_t>(i - first);
    }
  });
  return sizes;
}

}  // namespace macareu::itk::pixelwise
