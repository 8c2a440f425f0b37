// The module of libvips formats: plain calls of its C interface. The library decides what to call and how to
// report failures (vips_read.cpp, vips_write.cpp).
#include "files/vips/vips_module.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <vips/vips.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace macareu::files {
namespace {

struct release {
  void operator()(void* object) const { g_object_unref(object); }
};
using owned_image = std::unique_ptr<VipsImage, release>;

constexpr std::pair<VipsBandFormat, dtype> types[] = {
    {VIPS_FORMAT_UCHAR, dtype::u8},  {VIPS_FORMAT_CHAR, dtype::i8},    {VIPS_FORMAT_USHORT, dtype::u16},
    {VIPS_FORMAT_SHORT, dtype::i16}, {VIPS_FORMAT_UINT, dtype::u32},   {VIPS_FORMAT_INT, dtype::i32},
    {VIPS_FORMAT_FLOAT, dtype::f32}, {VIPS_FORMAT_DOUBLE, dtype::f64},
};

VipsImage* image_of(picture* opened) { return reinterpret_cast<VipsImage*>(opened); }

bool start() noexcept {
  // Warnings are suppressed: libvips reports relevant ones as errors too.
  g_log_set_handler(
      "VIPS", static_cast<GLogLevelFlags>(G_LOG_LEVEL_MASK), [](auto...) {}, nullptr);
  if (VIPS_INIT("macareu") != 0) return false;
  // Memory is limited: no operation is repeated, and each thread has buffers of many rows.
  vips_cache_set_max(0);
  vips_concurrency_set(std::min(vips_concurrency_get(), 4));
  return true;
}

const char* version_of_vips() noexcept { return vips_version_string(); }

/// libvips links OpenSlide or loads it, so it is looked for among all loaded libraries.
const char* version_of_openslide() noexcept {
  for (const auto* name : {"libopenslide.so.1", "libopenslide.so.0"})
    if (void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {
      const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, "openslide_get_version"));
      dlclose(library);
      if (version) return version();
    }
  return nullptr;
}

char* errors() noexcept { return vips_error_buffer_copy(); }

void free_text(char* text) noexcept { g_free(text); }

const char* loader_of(const char* path) noexcept {
  vips_error_clear();
  return vips_foreign_find_load(path);
}

/// Bypasses the operation cache, which would return stale pixels of a changed file.
picture* open(const char* loader, const char* path, const picture_request& request) noexcept {
  const std::unique_ptr<VipsOperation, release> operation(vips_operation_new(loader));
  if (!operation) return nullptr;
  g_object_set(operation.get(), "filename", path, "access",
               request.random ? VIPS_ACCESS_RANDOM : VIPS_ACCESS_SEQUENTIAL, "fail-on", VIPS_FAIL_ON_ERROR,
               nullptr);
  if (request.first_page > 0 || request.pages > 1)
    g_object_set(operation.get(), "page", request.first_page, "n", request.pages, nullptr);
  if (request.sub_page >= 0) g_object_set(operation.get(), "subifd", request.sub_page, nullptr);
  if (request.level > 0) g_object_set(operation.get(), "level", request.level, nullptr);
  // Slides are RGB; the alpha channel only comes from OpenSlide.
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(operation.get()), "rgb"))
    g_object_set(operation.get(), "rgb", TRUE, nullptr);
  VipsImage* result = nullptr;
  if (vips_object_build(VIPS_OBJECT(operation.get())) == 0)
    g_object_get(operation.get(), "out", &result, nullptr);
  vips_object_unref_outputs(VIPS_OBJECT(operation.get()));
  return reinterpret_cast<picture*>(result);
}

void close(picture* opened) noexcept { g_object_unref(opened); }

/// The number that a text of the header spells; 0 if there is none.
double header_number(VipsImage* image, const std::string& name) {
  const char* text = nullptr;
  if (!vips_image_get_typeof(image, name.c_str()) || vips_image_get_string(image, name.c_str(), &text) != 0)
    return 0;
  return g_ascii_strtod(text, nullptr);
}

/// Fills in what OpenSlide says.
void describe_slide(VipsImage* image, picture_facts& facts) {
  int level = 0;
  if (vips_image_get_typeof(image, "slide-level")) vips_image_get_int(image, "slide-level", &level);
  const auto about = "openslide.level[" + std::to_string(level) + "].";
  facts.levels = static_cast<int>(header_number(image, "openslide.level-count"));
  facts.tile_width = static_cast<std::int64_t>(header_number(image, about + "tile-width"));
  facts.tile_height = static_cast<std::int64_t>(header_number(image, about + "tile-height"));
  const auto millimetres = header_number(image, about + "downsample") / 1000;
  facts.form.pixel_width = header_number(image, "openslide.mpp-x") * millimetres;
  facts.form.pixel_height = header_number(image, "openslide.mpp-y") * millimetres;
}

/// Fills in the resolution of a TIFF file. One pixel per mm is what libvips says without a resolution.
void describe_resolution(VipsImage* image, picture_facts& facts) {
  const auto x = vips_image_get_xres(image), y = vips_image_get_yres(image);
  if (!vips_image_get_typeof(image, VIPS_META_RESOLUTION_UNIT) || !(x > 0 && y > 0) || (x == 1 && y == 1))
    return;
  facts.form.pixel_width = 1 / x;
  facts.form.pixel_height = 1 / y;
}

picture_facts describe(picture* opened) noexcept {
  auto* image = image_of(opened);
  const auto* type = std::find_if(std::begin(types), std::end(types), [&](const auto& each) {
    return each.first == vips_image_get_format(image);
  });
  const bool known = type != std::end(types);
  const auto tag = vips_image_get_interpretation(image);
  picture_facts facts{.form = {.type = known ? type->second : dtype::u8,
                               .width = vips_image_get_width(image),
                               .rows = vips_image_get_height(image),
                               .page_height = vips_image_get_page_height(image),
                               .channels = vips_image_get_bands(image)},
                      .plain = known && vips_image_get_coding(image) == VIPS_CODING_NONE,
                      .grey = tag == VIPS_INTERPRETATION_B_W || tag == VIPS_INTERPRETATION_GREY16,
                      .pages = vips_image_get_n_pages(image)};
  const char* loader = nullptr;
  if (vips_image_get_typeof(image, VIPS_META_LOADER)) vips_image_get_string(image, VIPS_META_LOADER, &loader);
  if (loader && std::string_view(loader).starts_with("openslide")) describe_slide(image, facts);
  if (loader && std::string_view(loader).starts_with("tiff")) describe_resolution(image, facts);
  return facts;
}

/// Called for one band of rows after another, from the top, so no second copy of the picture exists.
int pass_rows(VipsRegion* region, VipsRect* area, void* receiver) {
  const auto& [take, to] = *static_cast<const row_receiver*>(receiver);
  const auto bytes =
      static_cast<std::size_t>(area->width) * static_cast<std::size_t>(VIPS_IMAGE_SIZEOF_PEL(region->im));
  for (int y = area->top; y < area->top + area->height; ++y)
    if (!take(to, reinterpret_cast<const std::byte*>(VIPS_REGION_ADDR(region, area->left, y)), bytes))
      return -1;
  return 0;
}

bool read(picture* opened, const row_receiver& to) noexcept {
  return vips_sink_disc(image_of(opened), pass_rows, const_cast<row_receiver*>(&to)) == 0;
}

bool read_box(picture* opened, const picture_box& box, std::byte* to, std::size_t step) noexcept {
  vips_error_clear();
  const std::unique_ptr<VipsRegion, release> region(vips_region_new(image_of(opened)));
  const VipsRect area{static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.width),
                      static_cast<int>(box.height)};
  if (!region || vips_region_prepare(region.get(), &area) != 0) return false;
  const auto bytes =
      static_cast<std::size_t>(area.width) * static_cast<std::size_t>(VIPS_IMAGE_SIZEOF_PEL(region->im));
  for (int y = area.top; y < area.top + area.height; ++y, to += step)
    std::memcpy(to, VIPS_REGION_ADDR(region.get(), area.left, y), bytes);
  return true;
}

/// Rows for libvips. If it is told of a failure while it writes a pyramid, it closes the levels through freed
/// memory (8.14). There a failure is kept for the end, and rows that follow are zeros.
struct given_rows {
  const row_source& source;
  bool keep_failure = false;
  std::atomic<bool> failed = false;
};

int give_rows(VipsRegion* region, void*, void* given, void*, gboolean*) {
  auto& rows = *static_cast<given_rows*>(given);
  const auto& area = region->valid;
  const auto bytes =
      static_cast<std::size_t>(area.width) * static_cast<std::size_t>(VIPS_IMAGE_SIZEOF_PEL(region->im));
  for (int y = area.top; y < area.top + area.height; ++y) {
    auto* const to = reinterpret_cast<std::byte*>(VIPS_REGION_ADDR(region, area.left, y));
    if (!rows.failed && !rows.source.copy(rows.source.image, y, area.left, area.width, to))
      rows.failed = true;
    if (rows.failed && !rows.keep_failure) return -1;
    if (rows.failed) std::memset(to, 0, bytes);
  }
  return 0;
}

VipsInterpretation interpretation_of(const picture_form& form, VipsBandFormat format) {
  const bool wide = format == VIPS_FORMAT_USHORT;
  if (form.channels < 3) return wide ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
  if (form.channels > 4 || vips_format_sizeof(format) > 2) return VIPS_INTERPRETATION_MULTIBAND;
  return wide ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
}

/// The rows as an image of libvips, which must not outlive them; null on failure.
owned_image wrapped(const picture_form& form, given_rows& rows) {
  const auto* type = std::find_if(std::begin(types), std::end(types),
                                  [&](const auto& each) { return each.second == form.type; });
  owned_image result(vips_image_new());
  vips_image_init_fields(result.get(), static_cast<int>(form.width), static_cast<int>(form.rows),
                         form.channels, type->first, VIPS_CODING_NONE, interpretation_of(form, type->first),
                         form.pixel_width > 0 ? 1 / form.pixel_width : 1,
                         form.pixel_height > 0 ? 1 / form.pixel_height : 1);
  if (form.page_height < form.rows)
    vips_image_set_int(result.get(), VIPS_META_PAGE_HEIGHT, static_cast<int>(form.page_height));
  if (vips_image_pipelinev(result.get(), VIPS_DEMAND_STYLE_THINSTRIP, nullptr) != 0 ||
      vips_image_generate(result.get(), nullptr, give_rows, nullptr, &rows, nullptr) != 0)
    return nullptr;
  return result;
}

/// A file that libvips writes TIFF to. A failure is kept for the end, and rows are told of it. What follows
/// it, or a failure of rows, counts as written and reads as zeros.
class tiff_file {
 public:
  tiff_file(const char* path, std::atomic<bool>& failed)
      : file_(::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)), failed_(failed) {
    if (file_ < 0) failure_ = errno;
  }
  tiff_file(const tiff_file&) = delete;
  tiff_file& operator=(const tiff_file&) = delete;
  ~tiff_file() {
    if (file_ >= 0) ::close(file_);
  }

  static gint64 write(VipsTargetCustom*, const void* from, gint64 bytes, tiff_file* to) {
    const auto* at = static_cast<const std::byte*>(from);
    for (gint64 left = bytes; left > 0 && !to->failed_;) {
      const auto moved = ::pwrite(to->file_, at, static_cast<std::size_t>(left), to->place_ + bytes - left);
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) {
        to->failure_ = moved < 0 ? errno : EIO;
        to->failed_ = true;
        continue;
      }
      at += moved;
      left -= moved;
    }
    to->place_ += bytes;
    to->size_ = std::max(to->size_, to->place_);
    return bytes;
  }
  static gint64 read(VipsTargetCustom*, void* to, gint64 bytes, tiff_file* from) {
    bytes = std::clamp<gint64>(from->size_ - from->place_, 0, bytes);
    std::memset(to, 0, static_cast<std::size_t>(bytes));
    auto* at = static_cast<std::byte*>(to);
    for (gint64 left = bytes; left > 0;) {
      const auto moved =
          ::pread(from->file_, at, static_cast<std::size_t>(left), from->place_ + bytes - left);
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) break;
      at += moved;
      left -= moved;
    }
    from->place_ += bytes;
    return bytes;
  }
  static gint64 seek(VipsTargetCustom*, gint64 by, int from, tiff_file* in) {
    return in->place_ = by + (from == SEEK_SET ? 0 : from == SEEK_CUR ? in->place_ : in->size_);
  }

  bool is_open() const { return file_ >= 0; }
  /// False, with an error of libvips, if not all was written.
  bool finish() {
    if (failure_ == 0 && ::close(std::exchange(file_, -1)) != 0) failure_ = errno;
    if (failure_ != 0) vips_error("unix error", "%s", std::strerror(failure_));
    return failure_ == 0;
  }

 private:
  int file_, failure_ = 0;
  std::atomic<bool>& failed_;
  gint64 place_ = 0, size_ = 0;
};

constexpr int tile_width = 256;

/// Bytes of the smaller levels of a pyramid, in whole tiles and without compression.
std::int64_t bytes_of_levels(VipsImage* image, int tile_height) {
  const auto padded = [](std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile * tile; };
  std::int64_t bytes = 0;
  std::int64_t width = vips_image_get_width(image), height = vips_image_get_height(image);
  while ((width > tile_width || height > tile_height) && width > 1 && height > 1) {
    width /= 2;
    height /= 2;
    bytes += padded(width, tile_width) * padded(height, tile_height) *
             static_cast<std::int64_t>(VIPS_IMAGE_SIZEOF_PEL(image));
  }
  return bytes;
}

/// False, with an error of libvips, if the directory of temporary files has no room for the levels: libvips
/// crashes where it cannot write one.
bool has_room_for_levels(std::int64_t bytes) {
  const char* folder = g_getenv("TMPDIR");
  if (!folder) folder = "/tmp";
  struct statvfs now {};
  if (::statvfs(folder, &now) != 0) {
    vips_error("unix error", "%s for temporary files: %s", folder, std::strerror(errno));
    return false;
  }
  const auto free = static_cast<std::int64_t>(now.f_bavail) * static_cast<std::int64_t>(now.f_frsize);
  if (free >= bytes) return true;
  vips_error("unix error", "smaller levels need %lld MB in %s, which has %lld MB left: set TMPDIR",
             static_cast<long long>(bytes / 1000000), folder, static_cast<long long>(free / 1000000));
  return false;
}

bool write_tiff(VipsImage* image, const picture_storage& storage, const char* path, given_rows& rows) {
  const auto levels =
      storage.pyramid && !storage.compress ? bytes_of_levels(image, storage.tile_height) : std::int64_t{0};
  const bool in_files = levels > storage.levels_in_memory;
  if (in_files && !has_room_for_levels(levels)) return false;
  tiff_file file(path, rows.failed);
  if (!file.is_open()) return file.finish();
  // With a name libvips has the levels in files.
  const std::unique_ptr<VipsTarget, release> target(static_cast<VipsTarget*>(
      g_object_new(VIPS_TYPE_TARGET_CUSTOM, "filename", in_files ? path : nullptr, nullptr)));
  if (vips_object_build(VIPS_OBJECT(target.get())) != 0) return false;
  g_signal_connect(target.get(), "write", G_CALLBACK(tiff_file::write), &file);
  g_signal_connect(target.get(), "read", G_CALLBACK(tiff_file::read), &file);
  g_signal_connect(target.get(), "seek", G_CALLBACK(tiff_file::seek), &file);
  const bool saved =
      vips_tiffsave_target(
          image, target.get(), "tile", gboolean{storage.tile_height > 0}, "tile_width", tile_width,
          "tile_height", std::max(storage.tile_height, 16), "bigtiff", gboolean{storage.big}, "pyramid",
          gboolean{storage.pyramid}, "subifd", gboolean{storage.sub_pages}, "region_shrink",
          storage.nearest ? VIPS_REGION_SHRINK_NEAREST : VIPS_REGION_SHRINK_MEAN, "resunit",
          VIPS_FOREIGN_TIFF_RESUNIT_CM, "compression",
          storage.compress ? VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE : VIPS_FOREIGN_TIFF_COMPRESSION_NONE,
          "level", 1, nullptr) == 0;
  return file.finish() && saved && !rows.failed;
}

bool write(const picture_storage& storage, const char* path, const picture_form& form,
           const row_source& source) noexcept {
  vips_error_clear();
  given_rows rows{source, storage.pyramid};
  const auto image = wrapped(form, rows);
  if (!image) return false;
  if (storage.description)
    vips_image_set_string(image.get(), VIPS_META_IMAGEDESCRIPTION, storage.description);
  switch (storage.encoding) {
    case picture_encoding::png:
      return vips_pngsave(image.get(), path, nullptr) == 0;
    case picture_encoding::jpeg:
      return vips_jpegsave(image.get(), path, "Q", 95, nullptr) == 0;
    case picture_encoding::tiff:
      return write_tiff(image.get(), storage, path, rows);
  }
  return false;
}

bool encode_jpeg(const picture_form& form, const std::byte* pixels, int quality,
                 const row_receiver& to) noexcept {
  vips_error_clear();
  const auto bytes = static_cast<std::size_t>(form.width * form.rows * form.channels);
  const owned_image memory(vips_image_new_from_memory(pixels, bytes, static_cast<int>(form.width),
                                                      static_cast<int>(form.rows), form.channels,
                                                      VIPS_FORMAT_UCHAR));
  void* file = nullptr;
  std::size_t size = 0;
  if (!memory || vips_jpegsave_buffer(memory.get(), &file, &size, "Q", quality, "strip", TRUE, nullptr) != 0)
    return false;
  const bool taken = to.take(to.to, static_cast<const std::byte*>(file), size);
  g_free(file);
  return taken;
}

}  // namespace
}  // namespace macareu::files

extern "C" __attribute__((visibility("default"))) const macareu::files::vips_module macareu_vips_module;
const macareu::files::vips_module macareu_vips_module{
    .largest_size = VIPS_MAX_COORD,
    .start = macareu::files::start,
    .version_of_vips = macareu::files::version_of_vips,
    .version_of_openslide = macareu::files::version_of_openslide,
    .errors = macareu::files::errors,
    .free_text = macareu::files::free_text,
    .loader_of = macareu::files::loader_of,
    .open = macareu::files::open,
    .close = macareu::files::close,
    .describe = macareu::files::describe,
    .read = macareu::files::read,
    .read_box = macareu::files::read_box,
    .write = macareu::files::write,
    .encode_jpeg = macareu::files::encode_jpeg,
};
