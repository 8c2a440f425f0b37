// MetaImage: https://itk.org/Wiki/ITK/MetaIO/Documentation. Axes are x first.
#include <algorithm>
#include <string>
#include <utility>

#include "format.hpp"
#include "header_fields.hpp"
#include "pixel_data.hpp"

namespace macareu::files {
namespace {

/// The first name of a type is written. MetaIO's long has 4 bytes on every machine.
constexpr type_name type_names[] = {
    {dtype::i8, "MET_CHAR"},        {dtype::u8, "MET_UCHAR"},  {dtype::i16, "MET_SHORT"},
    {dtype::u16, "MET_USHORT"},     {dtype::i32, "MET_INT"},   {dtype::i32, "MET_LONG"},
    {dtype::u32, "MET_UINT"},       {dtype::u32, "MET_ULONG"}, {dtype::i64, "MET_LONG_LONG"},
    {dtype::u64, "MET_ULONG_LONG"}, {dtype::f32, "MET_FLOAT"}, {dtype::f64, "MET_DOUBLE"},
};

header_fields read_fields(input& file) {
  header_fields fields(file);
  while (!fields.has("elementdatafile")) {
    const auto offset = file.offset();
    const auto line = file.line();
    if (!trimmed(line).empty()) fields.add(line, offset, '=');
  }
  return fields;
}

bool flag(const header_fields& fields, std::string_view name, bool otherwise) {
  if (!fields.has(name)) return otherwise;
  const auto text = lower(fields.text(name));
  if (text != "true" && text != "false" && text != "1" && text != "0")
    fields.fail(name, "is " + in_quotes(text) + ", not True or False");
  return text == "true" || text == "1";
}

pixel_layout layout_of(const input& file, const header_fields& fields) {
  const auto rank = fields.value<std::int64_t>("ndims");
  if (rank != 2 && rank != 3) fields.fail("ndims", "is " + std::to_string(rank) + ", not 2 or 3");
  auto sizes = fields.values<std::int64_t>("dimsize", static_cast<std::size_t>(rank));
  std::ranges::reverse(sizes);
  const auto channels = fields.value<std::int64_t>("elementnumberofchannels", 1);
  auto layout = checked_layout(file, fields.offset("dimsize"), fields.type("elementtype", type_names), sizes,
                               channels, 1);
  const bool big = flag(fields, "elementbyteordermsb", flag(fields, "binarydatabyteordermsb", false));
  layout.order = big ? std::endian::big : std::endian::little;
  if (flag(fields, "compresseddata", false))
    layout.coding = encoding::deflate;
  else if (!flag(fields, "binarydata", true))
    layout.coding = encoding::text;
  return layout;
}

}  // namespace

stored_image locate_mha(input& file, const read_options&) {
  const auto fields = read_fields(file);
  const auto layout = layout_of(file, fields);
  metadata info;
  for (const std::string_view name : {"elementsize", "elementspacing"})
    if (fields.has(name))
      info.spacing = spacing_from(fields.values<double>(name, static_cast<std::size_t>(layout.shape.rank())));

  const auto data_file = fields.text("elementdatafile");
  if (lower(data_file) == "local") return {.layout = layout, .info = info};
  return {.layout = layout,
          .info = info,
          .data_file = std::string(data_file),
          .skip = fields.value<std::int64_t>("headersize", 0)};
}

std::string mha_header(const source_form& form) {
  const auto& [type, shape, channels, info] = form;
  const auto rank = shape.rank();
  std::string header = "ObjectType = Image\nNDims = " + std::to_string(rank) +
                       "\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False";
  if (info.spacing) header += "\nElementSpacing = " + spacing_text(info, rank);
  header += "\nDimSize = " + sizes_text(shape);
  if (channels > 1) header += "\nElementNumberOfChannels = " + std::to_string(channels);
  return header + "\nElementType = " + std::string(name_in(type_names, type)) + "\nElementDataFile = LOCAL\n";
}

}  // namespace macareu::files
