// The interface between the library and macareu_vips.so, the module of libvips formats. It consists of plain
// data and noexcept functions, so that the module needs no symbol of the program that loads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <macareu/image.hpp>

namespace macareu::files {

/// Increment with every change of this header.
inline constexpr int vips_interface = 2;

/// Rows of all pages are stacked.
struct picture_form {
  dtype type = dtype::u8;
  std::int64_t width = 0;
  std::int64_t rows = 0;
  std::int64_t page_height = 0;
  int channels = 1;
};

struct picture_facts {
  picture_form form;
  /// Whether pixels have one of our types, not complex or packed.
  bool plain = false;
  /// Whether the file declares its channels as grey.
  bool grey = false;
  /// Pages in the file, of which the picture may be a part.
  int pages = 1;
};

enum class picture_encoding { png, jpeg, tiff };

/// Provides pixels [x, x + count) of a row; false if that fails. libvips calls it on its own threads, one at
/// a time.
struct row_source {
  bool (*copy)(void* image, std::int64_t row, std::int64_t x, std::int64_t count, std::byte* to) noexcept;
  void* image;
};

/// Gets all rows, one after another from the top; false if that fails.
struct row_receiver {
  bool (*take)(void* to, const std::byte* row, std::size_t bytes) noexcept;
  void* to;
};

/// An open file; a VipsImage.
struct picture;

/// The table that the module exports as macareu_vips_module. If a function fails, errors() has the reason.
struct vips_module {
  /// First in every version of the interface.
  int version = vips_interface;
  /// Limit of width and rows.
  std::int64_t largest_size;

  bool (*start)() noexcept;
  /// A copy, to be released by free_text.
  char* (*errors)() noexcept;
  void (*free_text)(char* text) noexcept;

  /// Drops old errors. Returns the name of the class that reads the file, or null.
  const char* (*loader_of)(const char* path) noexcept;
  /// `count` pages from `first` on; null on failure.
  picture* (*open)(const char* loader, const char* path, int first, int count) noexcept;
  void (*close)(picture* opened) noexcept;
  picture_facts (*describe)(picture* opened) noexcept;
  bool (*read)(picture* opened, const row_receiver& to) noexcept;

  /// Drops old errors. `tiled` and `big` apply to TIFF.
  bool (*write)(picture_encoding encoding, const char* path, const picture_form& form,
                const row_source& source, bool tiled, bool big) noexcept;
};

}  // namespace macareu::files
