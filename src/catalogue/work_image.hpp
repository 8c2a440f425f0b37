// An image between two runs in pieces: it consists of the work files of the first, which the second reads.
#pragma once

#include <memory>

#include <macareu/ranks.hpp>
#include <macareu/sources.hpp>

namespace macareu {

/// Both are the same image, of one channel. The first run has a folder, and the caller keeps its files until
/// the second ended.
struct work_image {
  std::shared_ptr<image_sink> sink;
  std::shared_ptr<image_source> source;
};

/// Where it becomes an output whose chunks are files, unchanged, its files are such chunks.
work_image make_work_image(const source_form& form, const image_sink* becomes = nullptr);

/// Makes its files the chunks of that output, which all ranks do together. Returns false if they are not such
/// chunks. The first rank commits the output.
bool link_work_image(image_source& work_image, image_sink& to, ranks* shared_by);

}  // namespace macareu
