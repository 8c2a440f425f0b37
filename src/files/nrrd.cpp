// Nearly raw raster data: https://teem.sourceforge.net/nrrd/format.html. Axes are x first.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format.hpp"
#include "header_fields.hpp"
#include "pixel_data.hpp"

namespace macareu::files {
namespace {

/// All spellings that the format allows; the first is written.
constexpr type_name type_names[] = {
    {dtype::i8, "int8"},
    {dtype::i8, "int8_t"},
    {dtype::i8, "signed char"},
    {dtype::u8, "uint8"},
    {dtype::u8, "uint8_t"},
    {dtype::u8, "uchar"},
    {dtype::u8, "unsigned char"},
    {dtype::i16, "int16"},
    {dtype::i16, "int16_t"},
    {dtype::i16, "short"},
    {dtype::i16, "short int"},
    {dtype::i16, "signed short"},
    {dtype::i16, "signed short int"},
    {dtype::u16, "uint16"},
    {dtype::u16, "uint16_t"},
    {dtype::u16, "ushort"},
    {dtype::u16, "unsigned short"},
    {dtype::u16, "unsigned short int"},
    {dtype::i32, "int32"},
    {dtype::i32, "int32_t"},
    {dtype::i32, "int"},
    {dtype::i32, "signed int"},
    {dtype::u32, "uint32"},
    {dtype::u32, "uint32_t"},
    {dtype::u32, "uint"},
    {dtype::u32, "unsigned int"},
    {dtype::i64, "int64"},
    {dtype::i64, "int64_t"},
    {dtype::i64, "longlong"},
    {dtype::i64, "long long"},
    {dtype::i64, "long long int"},
    {dtype::i64, "signed long long"},
    {dtype::i64, "signed long long int"},
    {dtype::u64, "uint64"},
    {dtype::u64, "uint64_t"},
    {dtype::u64, "ulonglong"},
    {dtype::u64, "unsigned long long"},
    {dtype::u64, "unsigned long long int"},
    {dtype::f32, "float"},
    {dtype::f64, "double"},
};

header_fields read_fields(input& file) {
  const auto magic = file.peek(8);
  if (!magic.starts_with("NRRD000") || magic.size() < 8 || magic[7] < '1' || magic[7] > '5')
    file.fail("an .nrrd file starts with NRRD0001 to NRRD0005, this one with " + in_quotes(magic));
  file.line();
  header_fields fields(file);
  for (;;) {
    const auto offset = file.offset();
    // A header with detached pixels needs no empty line at its end.
    if (file.peek() < 0 && (fields.has("data file") || fields.has("datafile"))) return fields;
    const auto line = file.line();
    if (line.empty()) return fields;
    const bool key_and_value = line.find(":=") != std::string::npos && line.find(": ") > line.find(":=");
    if (!line.starts_with('#') && !key_and_value) fields.add(line, offset, ':');
  }
}

encoding coding_of(const header_fields& fields) {
  const auto name = lower(fields.text("encoding"));
  if (name == "raw") return encoding::raw;
  if (name == "gzip" || name == "gz") return encoding::deflate;
  if (name == "ascii" || name == "text" || name == "txt") return encoding::text;
  fields.fail("encoding", "is " + in_quotes(name) + ": only raw, gzip and ascii can be read");
}

std::endian order_of(const header_fields& fields, const pixel_layout& layout) {
  if (size_of(layout.type) == 1 || layout.coding == encoding::text) return std::endian::native;
  const auto name = lower(fields.text("endian"));
  if (name != "little" && name != "big")
    fields.fail("endian", "is " + in_quotes(name) + ", not little or big");
  return name == "big" ? std::endian::big : std::endian::little;
}

/// The axis that holds the values of a pixel; nothing for grey images.
std::optional<std::size_t> channel_axis(const header_fields& fields, std::size_t rank) {
  if (!fields.has("kinds")) return std::nullopt;
  const auto kinds = words(fields.text("kinds"));
  if (kinds.size() != rank) fields.fail("kinds", "must have as many entries as there are axes");
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto kind = lower(kinds[axis]);
    if (kind == "domain" || kind == "space" || kind == "time" || kind == "none" || kind == "???") continue;
    if (found) fields.fail("kinds", "names more than one axis of values");
    found = axis;
  }
  if (found && *found != 0 && *found != rank - 1)
    fields.fail("kinds", "has the axis of values between other axes: it must be first or last");
  return found;
}

/// The length of "(a,b,c)"; NaN for "none".
double direction_length(const header_fields& fields, std::string_view text) {
  if (lower(text) == "none") return std::numeric_limits<double>::quiet_NaN();
  std::string components(text);
  std::ranges::replace(components, ',', ' ');
  if (!components.starts_with('(') || !components.ends_with(')') || components.size() < 2)
    fields.fail("space directions", "has the entry " + in_quotes(text) + ", which is not a vector");
  double sum = 0;
  for (const auto word : words(std::string_view(components).substr(1, components.size() - 2))) {
    const auto value = number<double>(word);
    if (!value) fields.fail("space directions", "has the component " + in_quotes(word));
    sum += *value * *value;
  }
  return std::sqrt(sum);
}

/// The vectors of "space directions", which may contain white space.
std::vector<double> directions(const header_fields& fields) {
  std::vector<double> lengths;
  std::string_view text = fields.text("space directions");
  while (!(text = trimmed(text)).empty()) {
    const auto end = text.starts_with('(') ? text.find(')') + 1 : text.find_first_of(" \t");
    const auto entry = text.substr(0, end == 0 ? text.size() : end);
    lengths.push_back(direction_length(fields, entry));
    text.remove_prefix(entry.size());
  }
  return lengths;
}

std::optional<std::array<double, 3>> spacing_of(const header_fields& fields, std::size_t rank,
                                                std::optional<std::size_t> channels) {
  std::vector<double> x_first;
  if (fields.has("space directions"))
    x_first = directions(fields);
  else if (fields.has("spacings"))
    x_first = fields.values<double>("spacings", rank);
  if (x_first.empty()) return std::nullopt;
  if (x_first.size() != rank) fields.fail("space directions", "must have as many vectors as there are axes");
  if (channels) x_first.erase(x_first.begin() + static_cast<std::ptrdiff_t>(*channels));
  return spacing_from(x_first);
}

}  // namespace

stored_image locate_nrrd(input& file, const read_options&) {
  const auto fields = read_fields(file);
  const auto rank = fields.value<std::int64_t>("dimension");
  if (rank < 2 || rank > 4) fields.fail("dimension", "is " + std::to_string(rank) + ", not 2 to 4");
  const auto axes = static_cast<std::size_t>(rank);
  auto sizes = fields.values<std::int64_t>("sizes", axes);
  const auto channels = channel_axis(fields, axes);
  if (axes == 4 && !channels) fields.fail("dimension", "is 4, and 'kinds' names no axis of values");
  std::int64_t channel_count = 1;
  if (channels) {
    channel_count = sizes[*channels];
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(*channels));
  }
  std::ranges::reverse(sizes);
  auto layout =
      checked_layout(file, fields.offset("sizes"), fields.type("type", type_names), sizes, channel_count, 1);
  layout.coding = coding_of(fields);
  layout.order = order_of(fields, layout);
  if (channels && *channels != 0 && channel_count > 1) layout.axes = arrangement::planes;
  const auto skip = fields.value<std::int64_t>("byte skip", 0);
  // It would count decoded bytes.
  if (skip != 0 && layout.coding == encoding::deflate) fields.fail("byte skip", "cannot be used with gzip");
  return {.layout = layout,
          .info = {spacing_of(fields, axes, channels)},
          .data_file = std::string(fields.text("data file", fields.text("datafile", ""))),
          .skip_lines = fields.value<std::int64_t>("line skip", 0),
          .skip = skip};
}

std::string nrrd_header(const source_form& form) {
  const auto& [type, shape, channels, info] = form;
  const bool colour = channels > 1;
  std::string header = "NRRD0004\ntype: " + std::string(name_in(type_names, type));
  header += "\ndimension: " + std::to_string(shape.rank() + (colour ? 1 : 0));
  header += "\nsizes: " + (colour ? std::to_string(channels) + " " : "") + sizes_text(shape);
  if (colour) {
    header += channels == 3   ? "\nkinds: RGB-color"
              : channels == 4 ? "\nkinds: RGBA-color"
                              : "\nkinds: vector";
    for (int axis = 0; axis < shape.rank(); ++axis) header += " domain";
  }
  if (info.spacing)
    header += "\nspacings: " + std::string(colour ? "nan " : "") + spacing_text(info, shape.rank());
  if (size_of(type) > 1) header += "\nendian: little";
  return header + "\nencoding: raw\n\n";
}

}  // namespace macareu::files
