// A picture of objects: the image in grey, their outlines and numbers in colour.
#pragma once

#include <macareu/image.hpp>
#include <macareu/table.hpp>

namespace macareu::tool {

/// `objects`: the table of measure for these labels. Images only, all of one shape.
image overlay(const image& under, const image& labels, const table& objects);

}  // namespace macareu::tool
