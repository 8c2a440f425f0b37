#include "engines/pieces/piece_image.hpp"

#include <macareu/error.hpp>

namespace macareu::pieces {

void piece_image::read(const image_region& from, void* to) {
  block pixels;
  pixels.where = {{from.first[0], from.first[1], from.first[2]}, {from.size[0], from.size[1], from.size[2]}};
  pixels.pixel_bytes = file_->pixel_bytes();
  pixels.first = static_cast<std::byte*>(to);
  pixels.step_y = from.size[2];
  pixels.step_z = from.size[1] * from.size[2];
  file_->read(pixels);
}

void piece_image::write(const image_region&, const void*) {
  throw internal_error("pieces: a work image takes files of a run with a folder alone");
}

}  // namespace macareu::pieces
