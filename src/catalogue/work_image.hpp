// An image between two runs in pieces: it consists of the work files of the first, which the second reads.
#pragma once

#include <memory>

#include <macareu/sources.hpp>

namespace macareu {

/// Both are the same image, of one channel. The first run has a folder, and the caller keeps its files until
/// the second ended.
struct work_image {
  std::shared_ptr<image_sink> sink;
  std::shared_ptr<image_source> source;
};

work_image make_work_image(const source_form& form);

}  // namespace macareu
