// NumPy's array file: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/text/text.hpp"
#include "format.hpp"
#include "pixel_data.hpp"

namespace macareu::files {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

constexpr std::array<std::string_view, 11> codes{"b1", "i1", "u1", "i2", "u2", "i4",
                                                 "u4", "i8", "u8", "f4", "f8"};

struct npy_header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Parses the header's dictionary, a Python literal, by recursive descent.
class dictionary_reader {
 public:
  dictionary_reader(input& file, std::uint64_t end) : file_(file), end_(end) {}

  npy_header read() {
    npy_header header;
    unsigned seen = 0;
    expect('{');
    while (!accept('}')) {
      const auto at = file_.offset();
      const auto key = string();
      expect(':');
      if (key == "descr") {
        header.descr = string();
        seen |= 1;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        seen |= 2;
      } else if (key == "shape") {
        header.shape = tuple();
        seen |= 4;
      } else {
        file_.fail_at(at, "the header has an unknown key " + in_quotes(key));
      }
      if (!accept(',') && next() != '}') file_.fail("the header lacks a ',' or '}'");
    }
    if (seen != 7) file_.fail("the header lacks one of 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  /// The next byte that is not white space, still unread; -1 at the end of the header.
  int next() {
    while (file_.offset() < end_ && is_space(file_.peek())) file_.get();
    return file_.offset() < end_ ? file_.peek() : -1;
  }

  bool accept(char wanted) {
    if (next() != wanted) return false;
    file_.get();
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) file_.fail(std::string("the header lacks a '") + wanted + "'");
  }

  std::string string() {
    const auto start = file_.offset();
    const int quote = next();
    if (quote != '\'' && quote != '"')
      file_.fail(quote == '[' ? "arrays of records cannot be read as images" : "the header lacks a string");
    file_.get();
    std::string text;
    while (file_.offset() < end_ && file_.peek() != quote) text += static_cast<char>(file_.get());
    if (file_.offset() == end_) file_.fail_at(start, "a string in the header does not end");
    file_.get();
    return text;
  }

  std::string word() {
    std::string text;
    for (int byte = next();
         file_.offset() < end_ && byte != ',' && byte != ')' && byte != '}' && !is_space(byte);
         byte = file_.peek())
      text += static_cast<char>(file_.get());
    return text;
  }

  bool boolean() {
    const auto text = word();
    if (text != "True" && text != "False")
      file_.fail("'fortran_order' is " + in_quotes(text) + ", not True or False");
    return text == "True";
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      auto text = word();
      // Python 2 marked long integers.
      if (text.ends_with('L')) text.pop_back();
      const auto size = number<std::int64_t>(text);
      if (!size)
        file_.fail("the header has the size " + in_quotes(text) + ", which is not a number in range");
      sizes.push_back(*size);
      if (!accept(',') && next() != ')') file_.fail("the header lacks a ',' or ')' in its shape");
    }
    return sizes;
  }

  input& file_;
  std::uint64_t end_;
};

std::uint64_t header_end(input& file) {
  constexpr std::uint64_t longest_header = 1 << 20;
  if (file.peek(magic.size()) != magic)
    file.fail("this is not an .npy file: it does not start with \\x93NUMPY");
  file.seek(magic.size());
  std::array<std::uint8_t, 2> version;
  file.read(version.data(), version.size());
  if (version[0] < 1 || version[0] > 3)
    file.fail_at(magic.size(), ".npy version " + std::to_string(version[0]) + " is not known");
  const auto length_at = file.offset();
  std::array<std::uint8_t, 4> length{};
  file.read(length.data(), version[0] == 1 ? 2 : 4);
  const auto bytes = length[0] | length[1] << 8 | length[2] << 16 | std::uint64_t{length[3]} << 24;
  if (bytes > longest_header || !file.has(bytes))
    file.fail_at(length_at, "the file claims a header of " + std::to_string(bytes) + " bytes, but has " +
                                std::to_string(file.remaining()) + " from here, of which a header takes " +
                                std::to_string(longest_header) + " at most");
  return file.offset() + bytes;
}

}  // namespace

std::optional<std::pair<dtype, std::endian>> numpy_type(std::string_view descr) {
  const auto found = std::ranges::find(codes, descr.substr(std::min<std::size_t>(descr.size(), 1)));
  if (found == codes.end() || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return std::nullopt;
  const auto order = descr[0] == '>'   ? std::endian::big
                     : descr[0] == '<' ? std::endian::little
                                       : std::endian::native;
  return {{static_cast<dtype>(found - codes.begin()), order}};
}

std::string numpy_name(dtype type) {
  return (size_of(type) == 1 ? "|" : "<") + std::string(codes[static_cast<std::size_t>(type)]);
}

stored_image locate_npy(input& file, const read_options& options) {
  const auto end = header_end(file);
  const auto start = file.offset();
  auto header = dictionary_reader(file, end).read();
  const auto stored = numpy_type(header.descr);
  if (!stored)
    file.fail_at(start, "pixels of the NumPy type " + in_quotes(header.descr) +
                            " cannot be read: convert to bool, an integer, float32 or float64");
  const auto [type, order] = *stored;

  auto& sizes = header.shape;
  const auto axes = std::to_string(sizes.size()) + (sizes.size() == 1 ? " axis" : " axes");
  std::int64_t channels = 1;
  if (options.channels_last) {
    if (sizes.size() != 3 && sizes.size() != 4)
      file.fail_at(start,
                   "with channels last an image has 3 axes and a volume 4, but this array has " + axes);
    channels = sizes.back();
    sizes.pop_back();
  } else if (sizes.size() != 2 && sizes.size() != 3) {
    file.fail_at(start, "an image has 2 axes and a volume 3, but this array has " + axes +
                            (sizes.size() == 4 ? "; with channels last its last axis is channels" : ""));
  }
  auto layout = checked_layout(file, start, type, sizes, channels, 0);
  layout.order = order;
  if (header.fortran_order) layout.axes = arrangement::columns;
  file.seek(end);
  return {.layout = layout};
}

std::string npy_header(const source_form& form) {
  std::string text = "{'descr': '" + numpy_name(form.type);
  text += "', 'fortran_order': False, 'shape': (";
  for (int axis = 0; axis < form.shape.rank(); ++axis)
    text.append(axis > 0 ? ", " : "").append(std::to_string(form.shape[axis]));
  if (form.channels > 1) text += ", " + std::to_string(form.channels);
  text += "), }";
  // Pixels start at a multiple of 64, so that files can be mapped into memory.
  constexpr std::size_t fixed = magic.size() + 4;
  text.append(63 - (fixed + text.size()) % 64, ' ');
  text += '\n';
  const char length[2] = {static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return std::string(magic) + std::string("\1\0", 2) + std::string(length, 2) + text;
}

}  // namespace macareu::files
