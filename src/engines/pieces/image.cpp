#include "engines/pieces/image.hpp"

namespace macareu::pieces {
namespace {

node_ptr in_shape(node_ptr result, const frame& shape) {
  return result->whole == shape ? result : std::make_shared<reshaped>(std::move(result), shape);
}

}  // namespace

any_image::any_image() = default;
any_image::any_image(std::shared_ptr<slot> of) : slot_(std::move(of)), whole_(slot_->whole) {}
any_image::any_image(std::shared_ptr<slot> of, const frame& whole) : slot_(std::move(of)), whole_(whole) {}
any_image::any_image(const any_image& other) = default;
any_image& any_image::operator=(const any_image& other) = default;
any_image::~any_image() = default;

node_ptr any_image::result() const {
  if (!slot_->result) throw internal_error("pieces: an image is read before it is written");
  return in_shape(slot_->result, whole_);
}

void any_image::set(node_ptr result) const { slot_->result = in_shape(std::move(result), slot_->whole); }

any_image any_image::reshaped_without(line_axis side) const {
  if (side == line_axis::z) return *this;
  return {slot_, {1, whole_.depth, side == line_axis::y ? whole_.width : whole_.height, {0, 0, 0}}};
}

any_image new_image(const frame& like, std::size_t pixel_bytes) {
  return any_image(
      std::make_shared<slot>(slot{{like.depth, like.height, like.width, {0, 0, 0}}, pixel_bytes, {}}));
}

}  // namespace macareu::pieces
