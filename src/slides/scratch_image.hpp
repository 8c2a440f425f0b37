// An image in a work file, coded in runs of equal pixels: labels and masks take few bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include <macareu/sources.hpp>

namespace macareu::slides {

/// Written once, then read. The file has no name and disappears with the object.
class scratch_image final : public image_sink, public image_source {
 public:
  /// told(bytes): how much the file grows; with a negative number at the end.
  scratch_image(const source_form& form, const std::filesystem::path& folder,
                std::function<void(std::int64_t)> told);
  ~scratch_image() override;

  const source_form& form() const override { return form_; }
  void write(const image_region& to, const void* from) override;
  void commit() override {}
  void read(const image_region& from, void* to) override;
  std::array<std::int64_t, 3> chunk() const override { return {}; }

 private:
  struct part {
    image_region where;
    std::int64_t offset, bytes;
  };

  source_form form_;
  std::function<void(std::int64_t)> told_;
  int file_ = -1;
  std::int64_t size_ = 0;
  std::vector<part> parts_;
  std::vector<std::byte> coded_, pixels_;
};

}  // namespace macareu::slides
