#include "zarr_metadata.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include <macareu/error.hpp>

#include "files/format.hpp"
#include "files/no_such_level.hpp"
#include "files/text/text.hpp"

namespace macareu::files {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A decoder needs the whole chunk in memory.
constexpr std::int64_t largest_chunk = std::int64_t{1} << 30;
constexpr std::size_t most_axes = 8;

/// A file of JSON. Failures are an io_error that gives the file and the field.
class document {
 public:
  explicit document(const fs::path& file) : file_(file) {
    constexpr std::uint64_t largest = std::uint64_t{8} << 20;
    input opened(file);
    if (opened.is_stream() || opened.size() > largest)
      fail("is not a file of at most " + std::to_string(largest) + " bytes");
    std::string text(static_cast<std::size_t>(opened.size()), '\0');
    opened.read(text.data(), text.size());
    root_ = json::parse(text, nullptr, false);
    if (!root_.is_object()) fail("is not a JSON object");
  }

  const json& root() const { return root_; }
  [[noreturn]] void fail(std::string_view message) const {
    throw io_error(file_.string(), std::string(message));
  }
  /// "file: 'name' is <value>, <what it should be>"
  [[noreturn]] void fail(std::string_view name, const json& value, std::string_view wanted) const {
    fail(in_quotes(name) + " is " + in_quotes(value.dump(-1, ' ', true, json::error_handler_t::replace)) +
         ", " + std::string(wanted));
  }
  /// Null if the object has no such field.
  static const json& field(const json& object, const char* name) {
    static const json nothing;
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() ? *found : nothing;
  }
  std::string text(const json& object, const char* name) const {
    const auto& value = field(object, name);
    if (!value.is_string()) fail(name, value, "not a text");
    return value.get<std::string>();
  }
  std::vector<std::int64_t> sizes(const char* name, std::int64_t smallest) const {
    const auto& value = field(root_, name);
    if (!value.is_array() || value.empty() || value.size() > most_axes)
      fail(name, value, "not a list of 1 to " + std::to_string(most_axes) + " sizes");
    std::vector<std::int64_t> result;
    for (const auto& size : value) {
      const bool fits = size.is_number_unsigned() && size.get<std::uint64_t>() <= std::uint64_t{1} << 62;
      if (!fits || size.get<std::int64_t>() < smallest) fail(name, value, "which has a size out of range");
      result.push_back(size.get<std::int64_t>());
    }
    return result;
  }

 private:
  fs::path file_;
  json root_;
};

template <class T>
std::optional<T> fill_of(const json& value) {
  if (value.is_null()) return T{};
  if constexpr (std::is_same_v<T, bool>) {
    if (value.is_boolean()) return value.get<bool>();
    if (value == 0 || value == 1) return value == 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value.is_number()) return static_cast<T>(value.get<double>());
    if (value == "NaN") return std::numeric_limits<T>::quiet_NaN();
    if (value == "Infinity") return std::numeric_limits<T>::infinity();
    if (value == "-Infinity") return -std::numeric_limits<T>::infinity();
  } else {
    if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>()))
      return static_cast<T>(value.get<std::uint64_t>());
    if (value.is_number_integer() && !value.is_number_unsigned() &&
        std::in_range<T>(value.get<std::int64_t>()))
      return static_cast<T>(value.get<std::int64_t>());
    // Some writers give a whole number with a point.
    if (value.is_number_float() && std::abs(value.get<double>()) < 1e9 &&
        value.get<double>() == std::trunc(value.get<double>()) &&
        std::in_range<T>(static_cast<std::int64_t>(value.get<double>())))
      return static_cast<T>(value.get<double>());
  }
  return std::nullopt;
}

template <class T>
void set_fill(const document& about, zarr_array& array) {
  const auto& value = document::field(about.root(), "fill_value");
  const auto fill = fill_of<T>(value);
  if (!fill) about.fail("fill_value", value, "not a value of " + std::string(name_of(array.type)));
  std::memcpy(array.fill.data(), &*fill, sizeof(T));
}

void read_fill(const document& about, zarr_array& array) {
  switch (array.type) {
    case dtype::boolean:
      return set_fill<bool>(about, array);
    case dtype::i8:
      return set_fill<std::int8_t>(about, array);
    case dtype::u8:
      return set_fill<std::uint8_t>(about, array);
    case dtype::i16:
      return set_fill<std::int16_t>(about, array);
    case dtype::u16:
      return set_fill<std::uint16_t>(about, array);
    case dtype::i32:
      return set_fill<std::int32_t>(about, array);
    case dtype::u32:
      return set_fill<std::uint32_t>(about, array);
    case dtype::i64:
      return set_fill<std::int64_t>(about, array);
    case dtype::u64:
      return set_fill<std::uint64_t>(about, array);
    case dtype::f32:
      return set_fill<float>(about, array);
    case dtype::f64:
      return set_fill<double>(about, array);
  }
}

zarr_codec codec_of(const document& about) {
  const auto& compressor = document::field(about.root(), "compressor");
  if (compressor.is_null()) return zarr_codec::none;
  const auto id = about.text(compressor, "id");
  if (id == "zlib" || id == "gzip") return zarr_codec::deflate;
  if (id == "zstd") return zarr_codec::zstd;
  if (id == "blosc") return zarr_codec::blosc;
  about.fail("the compressor " + in_quotes(id) + " cannot be read: zlib, gzip, zstd and blosc can");
}

zarr_array read_array(const fs::path& directory) {
  const document about(directory / ".zarray");
  const auto& root = about.root();
  if (const auto& version = document::field(root, "zarr_format"); version != 2)
    about.fail("zarr_format", version, "not 2");
  zarr_array array{.directory = directory};
  array.shape = about.sizes("shape", 0);
  array.chunks = about.sizes("chunks", 1);
  if (array.chunks.size() != array.shape.size())
    about.fail("'shape' has " + std::to_string(array.shape.size()) + " axes, and 'chunks' " +
               std::to_string(array.chunks.size()));
  const auto& descr = document::field(root, "dtype");
  const auto type = descr.is_string() ? numpy_type(descr.get<std::string>()) : std::nullopt;
  if (!type) about.fail("dtype", descr, "which is not bool, an integer, float32 or float64");
  std::tie(array.type, array.order) = *type;
  if (const auto& order = document::field(root, "order"); order != "C")
    about.fail("order", order, "and only C can be read");
  const auto& filters = document::field(root, "filters");
  if (!filters.is_null() && filters != json::array())
    about.fail("filters", filters, "and arrays with filters cannot be read");
  const auto& separator = document::field(root, "dimension_separator");
  if (!separator.is_null() && separator != "." && separator != "/")
    about.fail("dimension_separator", separator, "not . or /");
  array.separator = separator == "/" ? '/' : '.';
  array.codec = codec_of(about);

  auto room = largest_chunk / static_cast<std::int64_t>(size_of(array.type));
  for (const auto size : array.chunks)
    if ((room /= size) == 0)
      about.fail("chunks", document::field(root, "chunks"),
                 "more than the " + std::to_string(largest_chunk) + " bytes that a chunk may have");
  read_fill(about, array);
  return array;
}

/// One name per axis, as OME-Zarr has them: t, c, z, y and x.
std::vector<std::string> default_axes(std::size_t rank, bool channels_last) {
  std::vector<std::string> names(rank);
  const auto name_last = [&](std::vector<std::string> last) {
    for (std::size_t i = 0; i < std::min(rank, last.size()); ++i)
      names[rank - 1 - i] = last[last.size() - 1 - i];
  };
  if (channels_last)
    name_last({"z", "y", "x", "c"});
  else
    name_last({"z", "y", "x"});
  return names;
}

/// Finds rows, columns, slices and channels among named axes. Other axes must have the size 1.
zarr_image with_axes(zarr_array array, const std::vector<std::string>& names, bool keep_slices) {
  constexpr std::int64_t most_channels = 64;
  const auto file = array.directory / ".zarray";
  const auto fail = [&](const std::string& message) { throw io_error(file.string(), message); };
  std::array<int, 4> axes{-1, -1, -1, -1};
  const std::string_view roles = "zyxc";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto role = names[i].size() == 1 ? roles.find(names[i]) : std::string_view::npos;
    if (role != std::string_view::npos && axes[role] < 0)
      axes[role] = static_cast<int>(i);
    else if (array.shape[i] != 1)
      fail("axis " + std::to_string(i) + (names[i].empty() ? "" : ", " + in_quotes(names[i]) + ",") +
           " has the size " + std::to_string(array.shape[i]) +
           ": only axes of slices, rows, columns and channels may have more than 1");
  }
  if (axes[1] < 0 || axes[2] < 0) fail("the array has no axes of rows and columns");
  if (axes[0] > axes[1] || axes[1] > axes[2]) fail("slices, rows and columns must be in this order");
  const auto size = [&](std::size_t role) {
    return axes[role] < 0 ? 1 : array.shape[static_cast<std::size_t>(axes[role])];
  };
  if (size(3) < 1 || size(3) > most_channels)
    fail("the array has " + std::to_string(size(3)) + " channels, not 1 to " + std::to_string(most_channels));
  // One slice of several axes is an image.
  if (!keep_slices && size(0) == 1) axes[0] = -1;
  std::vector<std::int64_t> sizes;
  if (axes[0] >= 0) sizes.push_back(size(0));
  sizes.push_back(size(1));
  sizes.push_back(size(2));
  const auto layout = checked_layout(input(file), 0, array.type, sizes, size(3), 0);
  return {std::move(array), {layout.type, layout.shape, layout.channels}, axes};
}

/// Length of a unit in mm, the unit of other formats; 1 for units that are not known.
double millimetres(const std::string& unit) {
  static const std::map<std::string, double> known{
      {"angstrom", 1e-7}, {"nanometer", 1e-6}, {"micrometer", 1e-3}, {"millimeter", 1},
      {"centimeter", 10}, {"meter", 1000},     {"inch", 25.4}};
  const auto found = known.find(unit);
  return found == known.end() ? 1 : found->second;
}

/// Multiplies `scale` by the transformations of an object; false if there is none.
bool apply_scale(const json& object, std::vector<double>& scale) {
  bool found = false;
  for (const auto& each : document::field(object, "coordinateTransformations")) {
    const auto& values = document::field(each, "scale");
    if (document::field(each, "type") != "scale" || !values.is_array() || values.size() != scale.size())
      continue;
    for (std::size_t i = 0; i < scale.size(); ++i)
      scale[i] *= values[i].is_number() ? values[i].get<double>() : std::numeric_limits<double>::quiet_NaN();
    found = true;
  }
  return found;
}

zarr_image read_group(const fs::path& directory, const read_options& options) {
  const document about(directory / ".zattrs");
  const auto& all = document::field(about.root(), "multiscales");
  if (!all.is_array() || all.empty())
    about.fail("has no 'multiscales': give the path of an array in this group");
  const auto& first = all[0];
  const auto& levels = document::field(first, "datasets");
  if (!levels.is_array() || levels.empty()) about.fail("'multiscales' has no datasets");
  if (options.level < 0 || static_cast<std::size_t>(options.level) >= levels.size())
    throw no_such_level(directory, options.level, levels.size());
  const auto& level = levels[static_cast<std::size_t>(options.level)];
  const fs::path path = about.text(level, "path");
  // The path must stay in the group.
  if (path.is_absolute() || std::ranges::find(path, "..") != path.end())
    about.fail("the path " + in_quotes(path.string()) + " leaves the group");
  auto array = read_array(directory / path);

  std::vector<std::string> names;
  std::vector<double> scale;
  for (const auto& axis : document::field(first, "axes")) {
    names.push_back(axis.is_string() ? axis.get<std::string>() : about.text(axis, "name"));
    const auto& unit = document::field(axis, "unit");
    scale.push_back(unit.is_string() ? millimetres(unit.get<std::string>()) : 1);
  }
  if (names.empty()) {
    // Before version 0.3 all five axes were there.
    names = {"t", "c", "z", "y", "x"};
    scale.assign(5, 1);
  }
  if (names.size() != array.shape.size())
    about.fail("'axes' names " + std::to_string(names.size()) + " axes, and the array of level " +
               std::to_string(options.level) + " has " + std::to_string(array.shape.size()));
  const bool scaled = apply_scale(level, scale);
  apply_scale(first, scale);
  auto image = with_axes(std::move(array), names, false);
  if (scaled) {
    std::vector<double> x_first;
    for (const std::size_t role : {2, 1, 0})
      if (image.axes[role] >= 0) x_first.push_back(scale[static_cast<std::size_t>(image.axes[role])]);
    image.form.info.spacing = spacing_from(x_first);
  }
  return image;
}

}  // namespace

std::size_t zarr_array::chunk_bytes() const {
  auto bytes = size_of(type);
  for (const auto size : chunks) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

fs::path zarr_array::chunk_file(std::span<const std::int64_t> index) const {
  std::string name;
  for (const auto i : index) {
    if (!name.empty()) name += separator;
    name += std::to_string(i);
  }
  return directory / name;
}

zarr_image read_zarr_metadata(const fs::path& directory, const read_options& options) {
  std::error_code ignored;
  if (fs::exists(directory / ".zarray", ignored)) {
    if (options.level != 0) throw no_such_level(directory, options.level, 1);
    auto array = read_array(directory);
    const auto rank = array.shape.size();
    const auto names = default_axes(rank, options.channels_last);
    return with_axes(std::move(array), names, rank == (options.channels_last ? 4 : 3));
  }
  if (fs::exists(directory / ".zattrs", ignored)) return read_group(directory, options);
  if (fs::exists(directory / "zarr.json", ignored))
    throw io_error(directory.string(), "Zarr version 3 cannot be read: convert it to version 2");
  throw io_error(directory.string(),
                 "is a directory without the .zarray or .zattrs of a Zarr array or image");
}

std::string zarray_text(const zarr_array& array) {
  const json text{{"zarr_format", 2},
                  {"shape", array.shape},
                  {"chunks", array.chunks},
                  {"dtype", numpy_name(array.type)},
                  {"compressor", nullptr},
                  {"fill_value", array.type == dtype::boolean ? json(false) : json(0)},
                  {"order", "C"},
                  {"filters", nullptr},
                  {"dimension_separator", std::string(1, array.separator)}};
  return text.dump(2) + "\n";
}

std::string multiscales_text(const source_form& form, const std::string& name, int levels) {
  json axes = json::array(), datasets = json::array();
  if (form.channels > 1) axes.push_back({{"name", "c"}, {"type", "channel"}});
  const int rank = form.shape.rank();
  for (int axis = 0; axis < rank; ++axis) {
    json space{{"name", std::string(1, "zyx"[3 - rank + axis])}, {"type", "space"}};
    if (form.info.spacing) space["unit"] = "millimeter";
    axes.push_back(std::move(space));
  }
  for (int level = 0; level < levels; ++level) {
    std::vector<double> scale(form.channels > 1 ? 1 : 0, 1.0);
    for (int axis = 0; axis < rank; ++axis) {
      const double size = form.info.spacing ? (*form.info.spacing)[static_cast<std::size_t>(axis)] : 1;
      // Levels halve rows and columns, not slices.
      scale.push_back(axis >= rank - 2 ? std::ldexp(size, level) : size);
    }
    const json transformation{{"type", "scale"}, {"scale", scale}};
    datasets.push_back(
        {{"path", std::to_string(level)}, {"coordinateTransformations", json::array({transformation})}});
  }
  const json image{{"version", "0.4"}, {"name", name}, {"axes", axes}, {"datasets", datasets}};
  return json{{"multiscales", json::array({image})}}.dump(2, ' ', true) + "\n";
}

}  // namespace macareu::files
