#include "format.hpp"
#include "pixel_data.hpp"

namespace macareu::files {

stored_image locate_raw(input& file, const read_options& options) {
  if (!options.raw)
    file.fail(
        "a raw file has no header: give its shape and pixel type, and offset and byte order where needed");
  const auto& raw = *options.raw;
  std::array<std::int64_t, 3> sizes{};
  for (int axis = 0; axis < raw.shape.rank(); ++axis) sizes[static_cast<std::size_t>(axis)] = raw.shape[axis];
  auto layout = checked_layout(file, 0, raw.type,
                               std::span(sizes.data(), static_cast<std::size_t>(raw.shape.rank())), 1, 0);
  layout.order = raw.order == raw_layout::byte_order::big ? std::endian::big : std::endian::little;
  file.seek(raw.offset);
  return {.layout = layout};
}

std::string raw_header(const source_form&) { return {}; }

}  // namespace macareu::files
