// A picture of objects: the image in grey, their outlines and numbers in colour.
#pragma once

#include <macareu/image.hpp>
#include <macareu/table.hpp>

namespace macareu::tool {

/// `objects` is what measure says of the labels. All are of one image, none of a volume.
image overlay(const image& under, const image& labels, const table& objects);

}  // namespace macareu::tool
