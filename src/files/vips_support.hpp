// What reading and writing through libvips share. Only its C interface is used.
#pragma once

#include <vips/vips.h>

#include <filesystem>
#include <memory>
#include <utility>

#include <macareu/image.hpp>

namespace macareu::files {

struct vips_release {
  void operator()(void* object) const { g_object_unref(object); }
};
using vips_image = std::unique_ptr<VipsImage, vips_release>;

inline constexpr std::pair<VipsBandFormat, dtype> vips_types[] = {
    {VIPS_FORMAT_UCHAR, dtype::u8},  {VIPS_FORMAT_CHAR, dtype::i8},    {VIPS_FORMAT_USHORT, dtype::u16},
    {VIPS_FORMAT_SHORT, dtype::i16}, {VIPS_FORMAT_UINT, dtype::u32},   {VIPS_FORMAT_INT, dtype::i32},
    {VIPS_FORMAT_FLOAT, dtype::f32}, {VIPS_FORMAT_DOUBLE, dtype::f64},
};

/// Starts libvips the first time, and forgets its old errors each time.
void start_vips();

/// Throws the pending errors of libvips on one line, speaking of `name` where they mean `path`.
[[noreturn]] void fail_with_vips(const std::filesystem::path& path, const std::filesystem::path& name);

}  // namespace macareu::files
