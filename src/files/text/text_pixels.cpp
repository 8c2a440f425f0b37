#include <type_traits>

#include <macareu/image.hpp>

#include "files/pixel_data.hpp"
#include "files/text/text.hpp"

namespace macareu::files {
namespace {

/// Reads the next word. Words longer than the limit are refused, since no number is.
std::string next_word(input& file) {
  constexpr std::size_t longest = 400;
  int byte = file.peek();
  for (bool comment = false; byte >= 0 && (comment || byte == '#' || is_space(byte)); byte = file.peek()) {
    comment = byte == '#' || (comment && byte != '\n');
    file.get();
  }
  std::string word;
  for (; byte >= 0 && !is_space(byte) && byte != '#' && word.size() < longest; byte = file.peek())
    word += static_cast<char>(file.get());
  return word;
}

template <class T>
void read_values(input& file, const pixel_layout& layout, std::span<std::byte> to) {
  // std::from_chars has no overload for bool.
  using parsed = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  for (auto& value : std::span(reinterpret_cast<T*>(to.data()), to.size() / sizeof(T))) {
    const auto word = next_word(file);
    if (word.empty()) file.fail("the file ends before all its pixels");
    const auto result = number<parsed>(word);
    const bool too_large =
        result && layout.largest && static_cast<double>(*result) > static_cast<double>(*layout.largest);
    if (!result || too_large)
      file.fail_at(file.offset() - word.size(), in_quotes(word) + " is not a value of this image");
    value = static_cast<T>(*result);
  }
}

}  // namespace

void read_text_pixels(input& file, const pixel_layout& layout, std::span<std::byte> to) {
  switch (layout.type) {
    case dtype::boolean:
      return read_values<bool>(file, layout, to);
    case dtype::i8:
      return read_values<std::int8_t>(file, layout, to);
    case dtype::u8:
      return read_values<std::uint8_t>(file, layout, to);
    case dtype::i16:
      return read_values<std::int16_t>(file, layout, to);
    case dtype::u16:
      return read_values<std::uint16_t>(file, layout, to);
    case dtype::i32:
      return read_values<std::int32_t>(file, layout, to);
    case dtype::u32:
      return read_values<std::uint32_t>(file, layout, to);
    case dtype::i64:
      return read_values<std::int64_t>(file, layout, to);
    case dtype::u64:
      return read_values<std::uint64_t>(file, layout, to);
    case dtype::f32:
      return read_values<float>(file, layout, to);
    case dtype::f64:
      return read_values<double>(file, layout, to);
  }
}

}  // namespace macareu::files
