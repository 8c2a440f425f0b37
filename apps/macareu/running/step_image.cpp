#include "running/step_image.hpp"

#include "command/shared_ranks.hpp"

namespace macareu::tool {

step_image::step_image(const std::string& name, const source_form& form, const piece_steps& steps,
                       const image_sink* becomes)
    : form_(form), file_(steps.folder / (name + ".npy")), scratch_(steps.folder) {
  if (steps.resumable) {
    const auto work_files = make_work_image(form, becomes);
    sink_ = work_files.sink;
    source_ = work_files.source;
  } else {
    sink_ = created_by_ranks([&] { return create_sink(file_, form, {.scratch = scratch_}); });
  }
}

image_source& step_image::source() {
  if (!source_) source_ = open_source(file_, {}, scratch_);
  return *source_;
}

}  // namespace macareu::tool
