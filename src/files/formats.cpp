#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "files/text/text.hpp"
#include "files/vips/vips_library.hpp"
#include "format.hpp"
#include "no_such_level.hpp"
#include "regions/zarr.hpp"

namespace macareu {
namespace files {
namespace {

using enum dtype;

constexpr capacity anything{.empty = true};
constexpr capacity not_empty{};
constexpr capacity grey_map{.types = set_of(boolean, u8, u16), .channels = channels_in({1})};
constexpr capacity colour_map{.types = set_of(boolean, u8, u16), .channels = channels_in({3})};
constexpr capacity any_map{.types = set_of(boolean, u8, u16), .channels = channels_in({1, 3})};

constexpr format npy{".npy",    read_stored<locate_npy>, write_stored<npy_header>, anything, true, locate_npy,
                     npy_header};
constexpr format nrrd{
    ".nrrd", read_stored<locate_nrrd>, write_stored<nrrd_header>, not_empty, true, locate_nrrd, nrrd_header};
constexpr format mha{
    ".mha", read_stored<locate_mha>, write_stored<mha_header>, not_empty, true, locate_mha, mha_header};
constexpr format raw{".raw",    read_stored<locate_raw>, write_stored<raw_header>, anything, true, locate_raw,
                     raw_header};

constexpr format built_in[] = {
    npy,
    {".pgm", read_pnm, write_pnm, grey_map, true, nullptr, nullptr, decode_pnm},
    {".ppm", read_pnm, write_pnm, colour_map, true, nullptr, nullptr, decode_pnm},
    {".pnm", read_pnm, write_pnm, any_map, true, nullptr, nullptr, decode_pnm},
    nrrd,
    {".nhdr", nrrd.read, nullptr, {}, true, locate_nrrd},
    mha,
    {".mhd", mha.read, nullptr, {}, true, locate_mha},
    raw,
    {".csv", read_numbers, nullptr},
    {".txt", read_numbers, nullptr},
};

/// Magic numbers, for streams, which have no extension.
constexpr std::pair<std::string_view, std::string_view> first_bytes[] = {
    {"\x93NUMPY", ".npy"}, {"P2", ".pnm"},         {"P3", ".pnm"},    {"P5", ".pnm"},      {"P6", ".pnm"},
    {"NRRD000", ".nrrd"},  {"ObjectType", ".mha"}, {"NDims", ".mha"}, {"Comment", ".mha"},
};

const format* format_named(std::string_view extension) {
  for (const auto& formats : {std::span<const format>(built_in), vips_formats()})
    for (const auto& candidate : formats)
      if (candidate.extension == extension) return &candidate;
  return nullptr;
}

std::vector<std::string> extensions_where(bool (*is_wanted)(const format&)) {
  std::vector<std::string> result;
  const auto add = [&](std::span<const format> formats) {
    for (const auto& candidate : formats)
      if (is_wanted(candidate)) result.emplace_back(candidate.extension);
  };
  add(built_in);
  if (has_vips()) add(vips_formats());
  if (has_zarr()) result.emplace_back(".zarr");
  return result;
}

std::string extension_of(const std::filesystem::path& file) { return lower(file.extension().string()); }

/// "a, b and c"
std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 < items.size() ? ", " : " and ";
    text += items[i];
  }
  return text;
}

/// The property of the image that the format cannot hold; nothing if it fits.
std::optional<std::string> misfit(const capacity& holds, const source_form& form) {
  if (!holds.empty && form.shape.pixels() == 0) return "an empty image";
  if (form.shape.rank() > holds.largest_rank) return "a volume";
  if ((holds.types & set_of(form.type)) == 0) return "pixels of " + std::string(name_of(form.type));
  const auto channels = form.channels;
  const bool fits =
      holds.channels == any_channels || (channels < 32 && (holds.channels >> channels & 1u) != 0);
  if (!fits) return std::to_string(channels) + (channels == 1 ? " channel" : " channels");
  return std::nullopt;
}

/// The fallback formats that hold the image. The last one holds all.
std::string alternatives(const source_form& form) {
  std::vector<std::string> fitting;
  for (const std::string_view extension : {".pgm", ".ppm", ".tif", ".npy"}) {
    const auto& candidate = *format_named(extension);
    const bool there = candidate.read || has_vips();
    if (there && !misfit(candidate.holds, form)) fitting.emplace_back(extension);
  }
  return list_of(fitting);
}

image_file read_all(const std::filesystem::path& file, image_source& source) {
  const auto& [type, shape, channels, info] = source.form();
  auto pixels = allocate(file, {.type = type, .shape = shape, .channels = channels});
  source.read({{}, {shape.depth(), shape.height(), shape.width()}}, pixels.data());
  return {std::move(pixels), info};
}

}  // namespace

bool is_stream_destination(const std::filesystem::path& file) {
  const auto name = file.string();
  if (name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") ||
      name.starts_with("/proc/"))
    return true;
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

const format& writable_format(const std::filesystem::path& file) {
  const auto extension = extension_of(file);
  const auto* found = format_named(extension.empty() && is_stream_destination(file) ? ".npy" : extension);
  if (!found || !found->write)
    throw usage_error(file.string(), (extension.empty() ? "a name without extension" : extension) +
                                         " cannot be written; this build writes " +
                                         list_of(writable_extensions()));
  if (!found->read) vips_for(file);
  return *found;
}

const format* format_to_read(input& file, const read_options& options) {
  auto extension = extension_of(file.name());
  if (extension.empty() && options.raw) return &raw;
  if (extension.empty())
    for (const auto& [bytes, name] : first_bytes)
      if (file.peek(bytes.size()) == bytes) extension = name;
  const auto* found = format_named(extension);
  if (found && found->read) {
    if (options.level != 0) throw no_such_level(file.name(), options.level, 1);
    return found;
  }
  // A copy of a pipe has another path than its name.
  if (file.is_stream() || file.path() != file.name())
    file.fail(
        "a pipe or device must give a .npy, .pgm, .ppm, .nrrd, .mha or .raw file, and this is none of them");
  return nullptr;
}

const format& format_to_write(const std::filesystem::path& file, const source_form& form) {
  const auto& found = writable_format(file);
  if (const auto what = misfit(found.holds, form))
    throw usage_error(file.string(),
                      extension_of(file) + " cannot hold " + *what + "; " + alternatives(form) + " can");
  if (!found.streams && is_stream_destination(file))
    throw usage_error(file.string(), extension_of(file) + " cannot be written to a pipe or device; .npy can");
  return found;
}

bool is_zarr_name(const std::filesystem::path& file) {
  return extension_of(file.has_filename() ? file : file.parent_path()) == ".zarr";
}

std::unique_ptr<image_sink> write_zarr(const std::filesystem::path& file, const pixel_rows& pixels) {
  const auto& form = pixels.form();
  auto sink = create_zarr(file, form);
  const auto [slices, rows, columns] = sink->chunk();
  const auto& shape = form.shape;
  const auto row_bytes = static_cast<std::size_t>(shape.width() * form.channels) * size_of(form.type);
  std::vector<std::byte> part;
  for (std::int64_t z = 0; z < shape.depth(); z += slices)
    for (std::int64_t y = 0; y < shape.height(); y += rows) {
      const image_region region{
          {z, y, 0},
          {std::min(slices, shape.depth() - z), std::min(rows, shape.height() - y), shape.width()}};
      part.resize(static_cast<std::size_t>(region.size[0] * region.size[1]) * row_bytes);
      auto* to = part.data();
      for (std::int64_t k = 0; k < region.size[0]; ++k)
        for (std::int64_t j = 0; j < region.size[1]; ++j, to += row_bytes)
          pixels.copy((z + k) * shape.height() + y + j, 0, shape.width(), truth::one, to);
      sink->write(region, part.data());
    }
  return sink;
}

void write_as(const format& chosen, const std::filesystem::path& path, const std::filesystem::path& name,
              const pixel_rows& pixels, const sink_options& options) {
  output file(path, name);
  chosen.write(file, pixels, options);
  file.close();
}

}  // namespace files

image_file read_image(const std::filesystem::path& file, const read_options& options) {
  using namespace files;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return read_all(file, *open_zarr(file, options));
  input opened(file);
  const auto* found = format_to_read(opened, options);
  return found ? found->read(opened, options) : read_with_vips(file, options);
}

void write_image(const std::filesystem::path& file, const const_image_view& pixels, const metadata& info) {
  const files::view_rows rows(pixels, info);
  if (files::is_zarr_name(file)) return files::write_zarr(file, rows)->commit();
  files::write_as(files::format_to_write(file, rows.form()), file, file, rows);
}

void check_writable(const std::filesystem::path& file) {
  if (!files::has_zarr() || !files::is_zarr_name(file)) files::writable_format(file);
}

std::vector<std::string> writable_extensions() {
  return files::extensions_where([](const files::format& each) { return each.write != nullptr; });
}

std::vector<std::string> readable_extensions() {
  return files::extensions_where([](const files::format&) { return true; });
}

}  // namespace macareu
