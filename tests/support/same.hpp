// Comparison of images bit by bit, with a message that says where.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstring>
#include <string>
#include <type_traits>

#include <macareu/image.hpp>

#include "support/strided.hpp"
#include "support/types.hpp"

namespace macareu::test {

template <class T>
std::string text_of(T value) {
  char text[64];
  if constexpr (std::is_floating_point_v<T>)
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  else
    return std::to_string(value);
}

/// "row 3, column 4", with the slice in volumes.
inline std::string place_of(const extents& shape, std::int64_t index) {
  const auto height = shape.height(), width = shape.width();
  const auto text =
      "row " + std::to_string(index / width % height) + ", column " + std::to_string(index % width);
  return shape.rank() == 3 ? "slice " + std::to_string(index / width / height) + ", " + text : text;
}

inline std::string value_at(const void* place, dtype type) {
  return with_type(type, [&]<class T>() {
    T value;
    std::memcpy(&value, place, sizeof value);
    return text_of(value);
  });
}

inline bool is_nan_at(const void* place, dtype type) {
  return with_type(type, [&]<class T>() {
    T value;
    std::memcpy(&value, place, sizeof value);
    return value != value;
  });
}

/// Both as stored, -0 and +0 told apart, one NaN like another; `expected` lies in C order.
inline ::testing::AssertionResult same_bits(const const_image_view& got, const const_image_view& expected) {
  if (got.type() != expected.type() || got.shape() != expected.shape())
    return ::testing::AssertionFailure()
           << "got " << name_of(got.type()) << " of " << to_string(got.shape()) << ", expected "
           << name_of(expected.type()) << " of " << to_string(expected.shape());
  if (got.channels() != expected.channels())
    return ::testing::AssertionFailure()
           << "got " << got.channels() << " channels, expected " << expected.channels();
  if (got.channels() > 1) {
    for (int c = 0; c < got.channels(); ++c)
      if (auto same = same_bits(copy_of(got.channel(c)), copy_of(expected.channel(c))); !same)
        return same << " of channel " << c;
    return ::testing::AssertionSuccess();
  }
  const auto size = static_cast<std::int64_t>(size_of(got.type()));
  const auto* a = static_cast<const std::byte*>(got.data());
  const auto* b = static_cast<const std::byte*>(expected.data());
  const bool packed = got.steps() == contiguous_strides(got.shape());
  if (packed && std::memcmp(a, b, static_cast<std::size_t>(got.shape().pixels() * size)) == 0)
    return ::testing::AssertionSuccess();
  std::int64_t index = 0, different = 0;
  std::string first;
  for_each_offset(got.shape(), got.steps(), [&](std::int64_t offset) {
    const auto* mine = a + offset * size;
    const auto* theirs = b + index * size;
    if (std::memcmp(mine, theirs, static_cast<std::size_t>(size)) != 0 &&
        !(is_nan_at(mine, got.type()) && is_nan_at(theirs, got.type())) && different++ == 0)
      first = place_of(got.shape(), index) + ": got " + value_at(mine, got.type()) + ", expected " +
              value_at(theirs, got.type());
    ++index;
  });
  if (different == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name_of(got.type()) << " of " << to_string(got.shape()) << ": "
                                       << different << " pixels differ, first at " << first;
}

/// The message of the error that `call` throws; fails the test if it throws none of this kind.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace macareu::test
