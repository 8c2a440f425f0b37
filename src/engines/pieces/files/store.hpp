// Images in files: inputs, and results that cannot be computed where they are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/sources.hpp>

#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/files/split_file.hpp"
#include "engines/pieces/node.hpp"

namespace macareu {

class coded_file;

namespace pieces {

image_region region_of(const box& where);

/// Boxes that were asked for in advance.
class expected_boxes {
 public:
  using load = std::function<block(const box&)>;

  void expect(file_thread& by, const box& where, load read);
  /// From the boxes that were expected, or read now.
  block take(file_thread& by, const box& where, load read);

 private:
  std::vector<std::pair<box, std::future<block>>> boxes_;
};

/// The box of all channels that was read last, so that each channel need not read it. For the thread of
/// inputs alone.
struct colour_box {
  block pixels;
};

/// An input, or a channel of it.
class source_node final : public node {
 public:
  source_node(run& of, image_source& source, int channel, std::shared_ptr<colour_box> shared);
  /// Floats are searched for NaN where they are read; refuse(p) throws for the first one of the image.
  void refuse_nan(std::function<void(site)> refuse) { refuse_ = std::move(refuse); }
  /// Reads the image for its first NaN, and refuses it.
  void refuse_first_nan();
  block read(const box& where) override;
  void expect(const box& where) override;
  std::int64_t room() const override;
  site chunk() const override;
  std::optional<std::uint64_t> labels() const override;

 private:
  expected_boxes::load loading() const;

  run& run_;
  image_source& source_;
  int channel_, channels_;
  std::shared_ptr<colour_box> shared_;
  std::function<void(site)> refuse_;
  expected_boxes expected_;
  block last_;  // several nodes may read one box of one image
};

/// Of work files that become an output: what the one file begins with, or the size of chunks that have a file
/// each. Neither of files of the run alone.
struct file_form {
  std::optional<std::string> header = {};
  std::optional<site> chunk = {};
};

/// Pixels in a work file: those of an output behind its header, in C order, others coded. Where ranks share
/// the run, or it may be resumed, each piece or chunk has a file, which stays until the run ends.
class pixel_file {
 public:
  pixel_file(run& of, const piece_grid& grid, std::size_t pixel_bytes, const file_form& form);
  ~pixel_file();
  pixel_file(const pixel_file&) = delete;
  pixel_file& operator=(const pixel_file&) = delete;

  void write(const block& pixels);
  block read(const box& where);
  const std::filesystem::path& path() const { return path_; }
  /// Null where pixels are not coded.
  const std::shared_ptr<coded_file>& coded() const { return coded_; }
  /// Null where pixels are in one file.
  const std::shared_ptr<const split_file>& split() const { return split_; }

 private:
  void write_coded(const block& pixels);

  run& run_;
  box whole_;
  std::size_t pixel_bytes_;
  std::int64_t begin_;
  std::filesystem::path path_;
  unique_descriptor file_;
  std::shared_ptr<coded_file> coded_;
  std::shared_ptr<const split_file> split_;
};

/// What stands for a result while a run only plans: zeros.
class planned final : public node {
 public:
  planned(run& of, const frame& shape, std::size_t bytes) : node(shape, bytes), run_(of) {}
  block read(const box& where) override;
  std::int64_t room() const override { return 2 * static_cast<std::int64_t>(pixel_bytes); }

 private:
  run& run_;
};

/// A result in a file. Its pieces may be unfinished: `complete` finishes one before it is read.
class stored final : public node {
 public:
  /// The pixels of a piece, if they are others than those in the file.
  using completion = std::function<std::optional<block>(std::int64_t piece)>;

  stored(run& of, const frame& shape, std::size_t bytes, site piece, file_form form);

  block read(const box& where) override;
  void expect(const box& where) override;
  std::int64_t room() const override { return 2 * static_cast<std::int64_t>(pixel_bytes); }
  std::optional<std::uint64_t> labels() const override { return labels_; }
  void set_labels(std::uint64_t count) { labels_ = count; }

  /// Written by the thread of files, which calls `after` then.
  void write(block pixels, std::function<void()> after = {});
  /// Computes and writes all pieces, but those that a run which is resumed has written.
  /// compute(piece, next): `next` is likely to be computed after it.
  void fill(const std::function<block(std::int64_t, std::optional<std::int64_t>)>& compute);
  /// The pixels in the file, finished or not.
  block read_as_it_is(const box& where);
  void expect_as_it_is(const box& where);
  /// Where ranks share the run, all pieces are finished at once.
  void finish_later(completion complete);
  /// Finishes all pieces; the file is complete on disk then.
  void finish();

  const piece_grid& grid() const { return grid_; }
  const std::filesystem::path& path() const { return file_->path(); }
  const file_form& form() const { return form_; }
  /// The file, if its pixels are coded.
  const std::shared_ptr<coded_file>& coded() const { return file_->coded(); }
  const std::shared_ptr<const split_file>& split() const { return file_->split(); }

 private:
  void finish(const box& where);
  bool is_finished(const box& where) const;

  run& run_;
  piece_grid grid_;
  file_form form_;
  std::shared_ptr<pixel_file> file_;
  std::int64_t written_, finished_;  // numbers of records
  completion complete_;
  std::vector<bool> unfinished_;
  expected_boxes expected_;
  std::optional<std::uint64_t> labels_;
};

}  // namespace pieces
}  // namespace macareu
