// Pages that show images, objects and their table in a browser: as a folder that opens from the disk, as one
// text, or file by file for a server.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/sources.hpp>
#include <macareu/table.hpp>

namespace macareu {

/// An image and the smaller levels that its file has, the largest first. Sources must outlive the page.
struct page_image {
  std::string name;
  std::vector<image_source*> levels;
};

struct page_content {
  std::string title;
  /// At least one; all have the same shape. The second and later ones are compared with the first.
  std::vector<page_image> images;
  /// The number of every pixel's object, 0 outside; empty if there are none.
  page_image labels = {};
  /// A row for each object, with a column `label`. Without it objects have only their number.
  const table* objects = nullptr;
  bool side_by_side = false;  ///< how images are compared first; else by a slider
  std::string outline = {};   ///< GeoJSON that is drawn as lines, such as the tissue's
  std::string summary = {};   ///< a JSON object that is shown as names and values
  /// Micrometres of a pixel: rows, columns. Without it the scale bar counts pixels.
  std::optional<std::array<double, 2>> pixel_size = {};
};

struct page_options {
  int quality = 80;  ///< of JPEG tiles; images of other types than u8 have PNG tiles
  /// Called with the fraction that is done, by one thread at a time.
  std::function<void(double)> progress = {};
  std::stop_token stop = {};  ///< when it is set, the call throws `interrupted`
  int threads = 0;            ///< that make tiles; 0: what the machine allows
};

/// What this build lacks to make pages and how to get it, on one line. Empty if it lacks nothing.
std::string missing_for_pages();

/// Whether write_page() wrote this folder `page`, or nothing is in it.
bool is_page(const std::filesystem::path& folder);

/// Writes index.html and the folder `page` beside it. A folder `page` of an earlier call is replaced; nothing
/// is visible before the end. Throws usage_error if shapes or the table do not fit, io_error for files.
void write_page(const std::filesystem::path& folder, const page_content& content,
                const page_options& options = {});

/// The same as one HTML text, for small images.
std::string page_text(const page_content& content, const page_options& options = {});

/// The files of a page, made when they are asked for. Images are read where a tile needs them: coarse levels
/// that a file lacks take a few pixels of each part of the image. Parts that cannot be read are grey, and the
/// page shows a message. Calls may come from several threads.
class page_files {
 public:
  struct file {
    std::string type;  ///< MIME
    std::string content;
    bool lasting = true;  ///< later calls give the same content
  };

  /// Throws usage_error like write_page().
  explicit page_files(page_content content);
  ~page_files();
  page_files(const page_files&) = delete;
  page_files& operator=(const page_files&) = delete;

  /// `name` is a path relative to the page, such as index.html; nothing if the page has no such file.
  std::optional<file> find(std::string_view name) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace macareu
