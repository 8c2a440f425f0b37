// The named values of a text header (.nrrd, .mha), each with the offset of its line for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

#include "files/text/text.hpp"
#include "input.hpp"

namespace macareu::files {

/// How a format spells a pixel type. Of several spellings the first is written.
struct type_name {
  dtype type;
  std::string_view text;
};
/// Where the format has no bool, u8 stands for it.
std::string_view name_in(std::span<const type_name> names, dtype type);

class header_fields {
 public:
  explicit header_fields(input& file) : file_(file) {}

  /// Splits "name <separator> value" and stores it, the name in lower case. Fails on a line without the
  /// separator, and if the header does not end.
  void add(std::string_view line, std::uint64_t offset, char separator);

  bool has(std::string_view name) const { return fields_.contains(name); }
  /// Fails, naming the field, if the header lacks it.
  std::string_view text(std::string_view name) const { return need(name).value; }
  std::string_view text(std::string_view name, std::string_view otherwise) const;

  template <class T>
  T value(std::string_view name) const {
    return parsed<T>(name, text(name));
  }
  template <class T>
  T value(std::string_view name, T otherwise) const {
    return has(name) ? value<T>(name) : otherwise;
  }
  /// Exactly `count` numbers.
  template <class T>
  std::vector<T> values(std::string_view name, std::size_t count) const {
    const auto parts = words(text(name));
    if (parts.size() != count)
      fail(name,
           "has " + std::to_string(parts.size()) + " values where " + std::to_string(count) + " are needed");
    std::vector<T> result;
    result.reserve(parts.size());
    for (const auto part : parts) result.push_back(parsed<T>(name, part));
    return result;
  }

  /// The pixel type that a field names, in any case.
  dtype type(std::string_view name, std::span<const type_name> names) const;

  std::uint64_t offset(std::string_view name) const { return need(name).offset; }
  /// "file: byte N: 'name' message", where N is the offset of the field, or the end of the header if it is
  /// absent.
  [[noreturn]] void fail(std::string_view name, std::string_view message) const;

 private:
  struct field {
    std::string value;
    std::uint64_t offset;
  };
  const field& need(std::string_view name) const;
  template <class T>
  T parsed(std::string_view name, std::string_view text) const {
    const auto result = number<T>(text);
    if (!result) fail(name, "has the value " + in_quotes(text) + ", which is not a number in range");
    return *result;
  }

  input& file_;
  std::map<std::string, field, std::less<>> fields_;
};

}  // namespace macareu::files
