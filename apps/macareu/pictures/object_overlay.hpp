// A picture of objects: the image in grey, their outlines and numbers in colour.
#pragma once

#include <cstdint>

#include <macareu/context.hpp>
#include <macareu/image.hpp>
#include <macareu/sources.hpp>
#include <macareu/table.hpp>

#include "running/piece_steps.hpp"

namespace macareu::tool {

/// `objects`: the table of measure for these labels. Images only, all of one shape.
image overlay(const image& under, const image& labels, const table& objects);

/// The same for images larger than memory, with labels up to `greatest`. Writes and commits the picture: u8,
/// three channels.
void overlay_in_pieces(image_source& under, image_source& labels, std::uint64_t greatest, image_sink& picture,
                       const context& how, const piece_steps& steps);

}  // namespace macareu::tool
