// Image files that are written by regions.
#pragma once

#include <optional>
#include <string>

#include <macareu/sources.hpp>

#include "files/format.hpp"
#include "files/pending_file.hpp"
#include "random_file.hpp"

namespace macareu::files {

/// Counts the pixels of an image that were written.
class written_pixels {
 public:
  explicit written_pixels(const source_form& form) : missing_(form.shape.pixels()) {}
  void add(const image_region& region) { missing_ -= region.pixels(); }
  void add_all() { missing_ = 0; }
  /// Throws usage_error unless each was written once.
  void require_all(const std::filesystem::path& name) const;

 private:
  std::int64_t missing_;
};

/// A header and pixels in C order, written in place.
class stored_sink final : public image_sink {
 public:
  stored_sink(const std::filesystem::path& file, const source_form& form, std::string header);
  std::optional<std::string> header() const override;
  void adopt(const std::filesystem::path& file) override;
  void write(const image_region& to, const void* from) override;
  void commit() override;

 private:
  std::uint64_t bytes() const;
  random_file& opened();

  source_form form_;
  std::string header_;
  pending_file pending_;
  std::optional<random_file> file_;
  written_pixels written_;
};

/// Formats that are written front to back, and pipes: pixels wait in a scratch file until the commit.
class staged_sink final : public image_sink {
 public:
  staged_sink(const format& chosen, const std::filesystem::path& file, const source_form& form,
              const sink_options& options);
  /// Pixels alone: a finished work file takes the place of the scratch file.
  std::optional<std::string> header() const override { return std::string(); }
  void adopt(const std::filesystem::path& file) override;
  void write(const image_region& to, const void* from) override;
  void commit() override;

 private:
  const format& format_;
  std::filesystem::path name_;
  source_form form_;
  sink_options options_;
  /// Absent for a pipe or device.
  std::optional<pending_file> pending_;
  random_file scratch_;
  written_pixels written_;
};

}  // namespace macareu::files
