// An image between two runs in pieces: it consists of the work files of the first, which the second reads.
#pragma once

#include <memory>

#include <macareu/context.hpp>
#include <macareu/ranks.hpp>
#include <macareu/sources.hpp>

namespace macareu {

/// Both are the same image, of one channel. The first run has a folder, and the caller keeps its files until
/// the second ended.
struct work_image {
  std::shared_ptr<image_sink> sink;
  std::shared_ptr<image_source> source;
};

/// becomes: the output that will have its pixels, if there is one. Work files then are that output's chunks,
/// where these are files.
work_image make_work_image(const source_form& form, const image_sink* becomes = nullptr);

/// Makes its files the chunks of that output, which all ranks do together. Returns false if they are not such
/// chunks, or there are no pixels. The first rank commits the output.
bool link_work_image(image_source& work_image, image_sink& to, ranks* shared_by, const context& how);

}  // namespace macareu
