// An image that one step of a command in pieces writes and later ones read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <macareu/sources.hpp>

#include "catalogue/work_image.hpp"
#include "running/piece_steps.hpp"

namespace macareu::tool {

/// It consists of the work files of the step, if they outlive it; otherwise it is a .npy file. All ranks make
/// one. The first rank commits the sink before any of them reads.
class step_image {
 public:
  /// becomes: the output that will have its pixels, if there is one.
  step_image(const std::string& name, const source_form& form, const piece_steps& steps,
             const image_sink* becomes = nullptr);

  const source_form& form() const { return form_; }
  image_sink& sink() { return *sink_; }
  image_source& source();

 private:
  source_form form_;
  std::filesystem::path file_, scratch_;
  std::shared_ptr<image_sink> sink_;
  std::shared_ptr<image_source> source_;  // null until a .npy file is read
};

}  // namespace macareu::tool
