#include <macareu/steps.hpp>

#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "slides/steps/step_runner.hpp"

namespace macareu {
namespace {

/// Names of devices and numbers of threads.
void check_context(const context& how) {
  const image_form pixel{dtype::u8, extents{1, 1}, 1};
  validate(*find_operator("invert"), {&pixel, 1}, {}, how);
}

void check_shape(const picture& one, const extents& shape) {
  if (one.form().shape != shape)
    throw usage_error("steps", "expected pictures of one shape, got " + to_string(shape) + " and " +
                                   to_string(one.form().shape));
}

}  // namespace

const source_form& picture::form() const {
  if (!from) throw usage_error("steps", "a picture is empty");
  return from->forms[output];
}

steps::steps(const context& how) : own_(std::make_shared<slides::step_runner>(how)) { check_context(how); }

steps::steps(const context& how, const piece_options& pieces) {
  check_context(how);
  auto limits = slides::limits_of_steps(pieces);
  const auto memory = slides::memory_of_steps(pieces);
  limits.memory = memory.pieces;
  own_ = std::make_shared<slides::step_runner>(how, limits, true, memory.blocks);
}

picture steps::picture_of(const const_image_view& pixels) const {
  slides::require_host_memory("steps", pixels);
  return own_->picture_of(pixels);
}

picture steps::picture_of(std::shared_ptr<image_source> source) const {
  return own_->picture_of(std::move(source));
}

picture steps::local(std::string_view name, arguments given, std::vector<picture> inputs, reach how_far,
                     std::vector<image> tables) const {
  return own_->local(name, std::move(given), std::move(inputs), how_far, {0}, std::move(tables))[0];
}

std::vector<picture> steps::local_outputs(std::string_view name, arguments given, std::vector<picture> inputs,
                                          reach how_far, std::vector<std::size_t> outputs) const {
  return own_->local(name, std::move(given), std::move(inputs), how_far, std::move(outputs), {});
}

picture steps::whole(std::string_view name, const arguments& given, const std::vector<picture>& inputs) {
  return own_->whole(name, given, inputs);
}

table steps::measured(std::string_view name, const arguments& given, const std::vector<picture>& inputs) {
  return own_->measured(name, given, inputs);
}

std::vector<value_counts> steps::counts(const picture& of) const { return own_->counts(of); }

picture steps::keep(const picture& result) { return keep(std::vector{result})[0]; }

std::vector<picture> steps::keep(std::vector<picture> results) {
  for (const auto& one : results) check_shape(one, results[0].form().shape);
  return results.empty() ? results : own_->keep(std::move(results));
}

picture steps::by_objects(const picture& mask, const std::vector<picture>& inputs, const find_labels& find) {
  for (const auto& one : inputs) check_shape(one, mask.form().shape);
  return own_->by_objects(mask, inputs, find);
}

std::uint64_t steps::count() const { return own_->count(); }

void steps::read(const picture& result, const image_region& where, void* to) const {
  const auto all = whole_of(result.form().shape);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (where.first[axis] < 0 || where.size[axis] < 0 || end_of(where, axis) > all.size[axis])
      throw usage_error("steps", "a box reaches beyond a picture of " + to_string(result.form().shape));
  own_->read(result, where, to);
}

image steps::read(const picture& result) const {
  const auto& form = result.form();
  image pixels(form.type, form.shape, form.channels);
  read(result, whole_of(form.shape), pixels.data());
  return pixels;
}

void steps::write(const picture& result, image_sink& to) const { own_->write(result, to); }

}  // namespace macareu
