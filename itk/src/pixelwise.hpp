// The work of <macareu/itk/pixelwise.hpp>, for any pixel types. A driver knows where the pixels are:
//   driver.each(count, body)  body(i) for every i below count
//   driver.table(values)      an owner of the values, by get(), where bodies can read them
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>

#include <macareu/error.hpp>
#include <macareu/image.hpp>
#include <macareu/itk/pixelwise.hpp>

#if defined(__CUDACC__)
#define MACAREU_ITK_HD __host__ __device__
#else
#define MACAREU_ITK_HD
#endif

namespace macareu::itk::pixelwise {

template <class From, class To>
struct converting {
  const From* from;
  To* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[i]); }
};

template <class From>
struct marking {
  const From* from;
  From low, high;
  bool* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const { to[i] = low <= from[i] && from[i] <= high; }
};

template <class From>
struct marking_others {
  const From* from;
  From value;
  bool* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const { to[i] = from[i] != value; }
};

struct marking_both {
  const bool *one, *other;
  bool* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const { to[i] = one[i] && other[i]; }
};

template <class To>
struct choosing {
  const bool* mask;
  To inside, outside;
  To* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const { to[i] = mask[i] ? inside : outside; }
};

template <class T>
struct filling {
  const bool* mask;
  const T* from;
  T inside;
  T* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const { to[i] = mask[i] ? inside : from[i]; }
};

template <class To>
struct measuring_length {
  const double *x, *y, *z;  // z may be null
  To* to;
  MACAREU_ITK_HD static double square(double along) {
    const To rounded = static_cast<To>(along);
    return static_cast<To>(rounded * rounded);
  }
  MACAREU_ITK_HD void operator()(std::int64_t i) const {
    const double sum = square(x[i]) + square(y[i]) + (z ? square(z[i]) : 0.0);
    to[i] = static_cast<To>(std::sqrt(static_cast<double>(static_cast<To>(sum))));
  }
};

template <class From, class To>
struct measuring_distance {
  const From* from;
  const bool* objects;  // null: no sign
  From none;            // this, and more
  To nowhere;
  bool inside_is_positive, nowhere_has_a_sign;
  To* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const {
    const bool nothing = from[i] >= none;
    const To size = nothing ? nowhere : static_cast<To>(static_cast<double>(from[i]));
    const bool positive = !objects || objects[i] == inside_is_positive || (nothing && !nowhere_has_a_sign);
    to[i] = positive ? size : static_cast<To>(-size);
  }
};

template <class To>
struct leaving_out {
  const std::uint32_t* labels;
  To background;
  To* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const {
    const auto label = labels[i];
    const To number = static_cast<To>(label - 1);
    const bool skips = background >= To{} && number >= background;
    to[i] = label == 0 ? background : skips ? static_cast<To>(label) : number;
  }
};

template <class From, class To>
struct renaming {
  const From* labels;
  const To* names;
  To* to;
  MACAREU_ITK_HD void operator()(std::int64_t i) const {
    to[i] = names[static_cast<std::uint64_t>(labels[i])];
  }
};

template <class Visit>
void with_type(dtype type, const Visit& visit) {
  switch (type) {
    case dtype::boolean:
      return visit(std::type_identity<bool>{});
    case dtype::i8:
      return visit(std::type_identity<std::int8_t>{});
    case dtype::u8:
      return visit(std::type_identity<std::uint8_t>{});
    case dtype::i16:
      return visit(std::type_identity<std::int16_t>{});
    case dtype::u16:
      return visit(std::type_identity<std::uint16_t>{});
    case dtype::i32:
      return visit(std::type_identity<std::int32_t>{});
    case dtype::u32:
      return visit(std::type_identity<std::uint32_t>{});
    case dtype::i64:
      return visit(std::type_identity<std::int64_t>{});
    case dtype::u64:
      return visit(std::type_identity<std::uint64_t>{});
    case dtype::f32:
      return visit(std::type_identity<float>{});
    case dtype::f64:
      return visit(std::type_identity<double>{});
  }
}

/// Where there are only these.
template <class Visit>
void with_type_of_distances(dtype type, const Visit& visit) {
  if (type == dtype::u32) return visit(std::type_identity<std::uint32_t>{});
  if (type == dtype::u64) return visit(std::type_identity<std::uint64_t>{});
  if (type == dtype::f32) return visit(std::type_identity<float>{});
  visit(std::type_identity<double>{});
}

template <class T>
T as(const number& value) {
  return std::visit([](auto exact) { return static_cast<T>(exact); }, value.value());
}

/// The images of a piece of work, all of one shape and without gaps.
struct images {
  std::span<const const_image_view> in;
  const image_view& out;

  std::int64_t count() const { return out.shape().pixels(); }
  template <class T>
  const T* from(std::size_t index = 0) const {
    return static_cast<const T*>(in[index].data());
  }
  template <class T>
  T* to() const {
    return static_cast<T*>(out.data());
  }
};

template <class Driver>
void apply(const Driver& driver, const convert&, const images& all) {
  with_type(all.in[0].type(), [&]<class From>(std::type_identity<From>) {
    with_type(all.out.type(), [&]<class To>(std::type_identity<To>) {
      driver.each(all.count(), converting<From, To>{all.from<From>(), all.to<To>()});
    });
  });
}

template <class Driver>
void apply(const Driver& driver, const mark& what, const images& all) {
  with_type(all.in[0].type(), [&]<class From>(std::type_identity<From>) {
    driver.each(all.count(),
                marking<From>{all.from<From>(), as<From>(what.low), as<From>(what.high), all.to<bool>()});
  });
}

template <class Driver>
void apply(const Driver& driver, const mark_others& what, const images& all) {
  with_type(all.in[0].type(), [&]<class From>(std::type_identity<From>) {
    driver.each(all.count(), marking_others<From>{all.from<From>(), as<From>(what.value), all.to<bool>()});
  });
}

template <class Driver>
void apply(const Driver& driver, const mark_both&, const images& all) {
  driver.each(all.count(), marking_both{all.from<bool>(0), all.from<bool>(1), all.to<bool>()});
}

template <class Driver>
void apply(const Driver& driver, const choose& what, const images& all) {
  with_type(all.out.type(), [&]<class To>(std::type_identity<To>) {
    driver.each(all.count(),
                choosing<To>{all.from<bool>(), as<To>(what.inside), as<To>(what.outside), all.to<To>()});
  });
}

template <class Driver>
void apply(const Driver& driver, const fill& what, const images& all) {
  with_type(all.out.type(), [&]<class T>(std::type_identity<T>) {
    driver.each(all.count(), filling<T>{all.from<bool>(0), all.from<T>(1), as<T>(what.inside), all.to<T>()});
  });
}

template <class Driver>
void apply(const Driver& driver, const length&, const images& all) {
  with_type(all.out.type(), [&]<class To>(std::type_identity<To>) {
    driver.each(all.count(),
                measuring_length<To>{all.from<double>(0), all.from<double>(1),
                                     all.in.size() > 2 ? all.from<double>(2) : nullptr, all.to<To>()});
  });
}

template <class Driver>
void apply(const Driver& driver, const distance& what, const images& all) {
  const bool* objects = all.in.size() > 1 ? all.from<bool>(1) : nullptr;
  with_type_of_distances(all.in[0].type(), [&]<class From>(std::type_identity<From>) {
    with_type(all.out.type(), [&]<class To>(std::type_identity<To>) {
      driver.each(all.count(),
                  measuring_distance<From, To>{all.from<From>(), objects, std::numeric_limits<From>::max(),
                                               as<To>(what.nowhere), what.inside_is_positive,
                                               what.nowhere_has_a_sign, all.to<To>()});
    });
  });
}

template <class Driver>
void apply(const Driver& driver, const leave_out& what, const images& all) {
  with_type(all.out.type(), [&]<class To>(std::type_identity<To>) {
    driver.each(all.count(),
                leaving_out<To>{all.from<std::uint32_t>(), as<To>(what.background), all.to<To>()});
  });
}

template <class Driver>
void apply(const Driver& driver, const rename& what, const images& all) {
  with_type(all.in[0].type(), [&]<class From>(std::type_identity<From>) {
    with_type(all.out.type(), [&]<class To>(std::type_identity<To>) {
      const auto count = what.names.size();
      const auto names = std::make_unique<To[]>(count);
      std::transform(what.names.begin(), what.names.end(), names.get(),
                     [](std::uint64_t name) { return static_cast<To>(name); });
      const auto table = driver.table(std::span<const To>(names.get(), count));
      driver.each(all.count(), renaming<From, To>{all.from<From>(), table.get(), all.to<To>()});
    });
  });
}

template <class Driver>
void apply(const Driver& driver, const work& what, const images& all) {
  std::visit([&](const auto& one) { apply(driver, one, all); }, what);
}

/// Of labels and their sizes: what tables are kept for. Others are left to ITK's maps.
inline void require_small(bool negative, std::uint64_t greatest, std::int64_t pixels) {
  if (negative || greatest > static_cast<std::uint64_t>(pixels) + 65536)
    throw usage_error("labels are negative, or much larger than the number of pixels");
}

}  // namespace macareu::itk::pixelwise
