#include "catalogue/checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include <macareu/error.hpp>

#include "catalogue/arguments.hpp"
#include "catalogue/device_choice.hpp"
#include "core/call.hpp"

namespace macareu {
namespace {

/// First and last byte of a view, for strides of any sign.
std::pair<const std::byte*, const std::byte*> byte_range(const const_image_view& view) {
  std::int64_t low = 0, high = 0;
  const auto last_channel = (view.channels() - 1) * view.channel_stride();
  (last_channel < 0 ? low : high) += last_channel;
  for (int axis = 0; axis < view.shape().rank(); ++axis) {
    const auto reach = (view.shape()[axis] - 1) * view.steps()[axis];
    (reach < 0 ? low : high) += reach;
  }
  const auto size = static_cast<std::int64_t>(size_of(view.type()));
  const auto* data = static_cast<const std::byte*>(view.data());
  return {data + low * size, data + (high + 1) * size};
}

/// Greatest common divisor of the steps that the view takes, in bytes; 0 for one pixel.
std::int64_t common_step(const const_image_view& view) {
  std::int64_t common = view.channels() > 1 ? view.channel_stride() : 0;
  for (int axis = 0; axis < view.shape().rank(); ++axis)
    if (view.shape()[axis] > 1) common = std::gcd(common, view.steps()[axis]);
  return common * static_cast<std::int64_t>(size_of(view.type()));
}

bool overlap(const const_image_view& a, const const_image_view& b) {
  if (a.shape().pixels() == 0 || b.shape().pixels() == 0) return false;
  const auto [a_first, a_last] = byte_range(a);
  const auto [b_first, b_last] = byte_range(b);
  const std::less<const std::byte*> less;
  if (!less(a_first, b_last) || !less(b_first, a_last)) return false;
  // Interleaved channels share a range but no byte: their offsets differ modulo the common step.
  const auto common = std::gcd(common_step(a), common_step(b));
  if (common == 0) return true;
  const auto apart = (a_first - b_first) % common;
  const auto gap = apart < 0 ? apart + common : apart;
  return gap < static_cast<std::int64_t>(size_of(b.type())) ||
         common - gap < static_cast<std::int64_t>(size_of(a.type()));
}

bool same_pixels(const const_image_view& a, const const_image_view& b) {
  bool same = a.data() == b.data() && a.type() == b.type() && a.channel_stride() == b.channel_stride();
  for (int axis = 0; axis < a.shape().rank(); ++axis) same = same && a.steps()[axis] == b.steps()[axis];
  return same;
}

/// Whether two pixels of an output share an address.
bool folds_onto_itself(const const_image_view& view) {
  if (view.shape().pixels() == 0) return false;
  std::array<std::pair<std::int64_t, std::int64_t>, 4> axes;  // |step|, size, in order
  std::size_t count = 0;
  const auto add = [&](std::int64_t step, std::int64_t size) {
    const std::pair axis{std::abs(step), size};
    auto place = count++;
    for (; place > 0 && axis < axes[place - 1]; --place) axes[place] = axes[place - 1];
    axes[place] = axis;
  };
  if (view.channels() > 1) add(view.channel_stride(), view.channels());
  for (int axis = 0; axis < view.shape().rank(); ++axis)
    if (view.shape()[axis] > 1) add(view.steps()[axis], view.shape()[axis]);
  std::int64_t reach = 1;
  for (const auto& [step, size] : std::span(axes).first(count)) {
    if (step < reach) return true;
    reach = step * (size - 1) + reach;
  }
  return false;
}

/// Names an image in messages. The text is built only on errors, because building it takes longer than a call
/// on small images.
struct image_name {
  const operator_description& about;
  error_part::role role;
  std::string_view name;

  call_error refused(fault kind, const std::string& why, std::string given = {},
                     std::string allowed = {}) const {
    std::vector<error_part> parts{error_part(role, name), why};
    if (role == error_part::role::output) parts.insert(parts.begin(), "output ");
    return call_error(
        {kind, std::string(about.name), std::move(parts), std::move(given), std::move(allowed)});
  }
};

/// Engines access shared pixels through atomics, which need alignment.
void check_alignment(const const_image_view& view, const image_name& image) {
  const auto size = size_of(view.type());
  if (reinterpret_cast<std::uintptr_t>(view.data()) % size != 0)
    throw image.refused(fault::memory, ": pixels of type " + std::string(name_of(view.type())) +
                                           " must lie at multiples of " + std::to_string(size) +
                                           " bytes: copy the image first");
}

/// An error about one image that does not match the first input.
call_error unlike_first(const operator_description& about, const image_name& image, fault kind,
                        const std::string& own, const std::string& first, const std::string& rule) {
  return call_error({.kind = kind,
                     .operation = std::string(about.name),
                     .parts = {error_part(image.role, image.name), own + ", but ",
                               input_named(about.inputs[0].name), first + ": they must have " + rule}});
}

void check_count(const operator_description& about, std::size_t given) {
  const auto all = about.inputs.size();
  const auto least =
      static_cast<std::size_t>(std::ranges::count(about.inputs, false, &input_description::optional));
  if (given >= least && given <= all) return;
  const auto allowed =
      (least < all ? std::to_string(least) + (least + 1 == all ? " or " : " to ") : "") + std::to_string(all);
  throw call_error({.kind = fault::count,
                    .operation = std::string(about.name),
                    .parts = {"takes " + allowed + " image(s), got " + std::to_string(given)},
                    .given = std::to_string(given),
                    .allowed = allowed});
}

bool is_given(const image_form& form) { return form.type || form.shape != extents{}; }

void check_form(const operator_description& about, std::size_t index, const image_form& form,
                const image_form& first) {
  const auto& input = about.inputs[index];
  const image_name image{about, error_part::role::input, input.name};
  const auto channels = [](const image_form& of) { return std::to_string(*of.channels); };
  if (input.optional && !is_given(form)) return;
  if (about.takes_colour && index == 0) {
    if (form.channels && *form.channels != 3)
      throw image.refused(fault::channels,
                          " has " + channels(form) + (*form.channels == 1 ? " channel" : " channels") +
                              ": give one with red, green and blue",
                          channels(form), "3");
    return;
  }
  if (form.channels && *form.channels != 1 && (!about.each_channel || input.own_form))
    throw image.refused(
        fault::channels,
        " has " + channels(form) + " channels: choose one or make it grey (channel N or luminance)",
        channels(form), "1");
  if (input.own_form) {
    const bool of_nothing = first.shape && first.shape->pixels() == 0;
    if (form.shape && form.shape->pixels() == 0 && !of_nothing)
      throw image.refused(fault::shape, " is empty: it is " + to_string(*form.shape), to_string(*form.shape),
                          "at least one pixel");
    return;
  }
  if (!about.takes_colour && form.channels && first.channels && *form.channels != *first.channels)
    throw unlike_first(about, image, fault::channels, " has " + channels(form) + " channels",
                       " has " + channels(first), "the same number");
  if (form.shape && first.shape && *form.shape != *first.shape)
    throw unlike_first(about, image, fault::shape, " is " + to_string(*form.shape),
                       " is " + to_string(*first.shape), "one shape");
  if (input.mask && form.type && *form.type != dtype::boolean)
    throw image.refused(fault::type,
                        " has pixels of type " + std::string(name_of(*form.type)) + ", but must have bool",
                        std::string(name_of(*form.type)), "bool");
  if (form.type && first.type && *form.type != *first.type && !input.own_type && !input.mask)
    throw unlike_first(about, image, fault::type, " has pixels of type " + std::string(name_of(*form.type)),
                       " of " + std::string(name_of(*first.type)), "one type");
}

void check_type(const operator_description& about, const image_form& first) {
  if (about.types.empty() || !first.type || std::ranges::find(about.types, *first.type) != about.types.end())
    return;
  std::string allowed;
  for (const auto type : about.types) allowed += (allowed.empty() ? "" : ", ") + std::string(name_of(type));
  const std::string given(name_of(*first.type));
  throw image_name{about, error_part::role::input, about.inputs[0].name}.refused(
      fault::type, " has pixels of type " + given + ", but must have one of " + allowed, given, allowed);
}

/// Whether the caller chose a value. Front ends that complete arguments add defaults, which do not count.
bool is_given(const operator_description& about, const parameter_description& parameter,
              const arguments& given) {
  const auto found = given.find(parameter.name);
  if (found == given.end()) return false;
  return given.size() < about.parameters.size() ||
         to_string(found->second) != to_string(parse_argument(parameter, parameter.default_text));
}

/// Refuses alternatives that are both given.
template <class HasInput>
void check_alternatives(const operator_description& about, const HasInput& has_input,
                        const arguments& given) {
  const auto input = std::ranges::find(about.inputs, true, &input_description::by_option);
  const bool is_of_input = input != about.inputs.end();
  for (std::size_t p = 0; p < about.parameters.size(); ++p) {
    const auto& parameter = about.parameters[p];
    if (!parameter.is_alternative) continue;
    const bool has_other = is_of_input ? has_input(static_cast<std::size_t>(input - about.inputs.begin()))
                                       : is_given(about, about.parameters[p - 1], given);
    if (has_other && is_given(about, parameter, given))
      throw call_error(
          {.kind = fault::conflict,
           .operation = std::string(about.name),
           .parts = {parameter_named(parameter.name), " and ",
                     is_of_input ? input_named(input->name) : parameter_named(about.parameters[p - 1].name),
                     " are both given: use one of them"}});
  }
}

void check_forms(const operator_description& about, std::span<const image_form> forms,
                 const arguments& given) {
  check_count(about, forms.size());
  check_type(about, forms[0]);
  for (std::size_t i = 0; i < forms.size(); ++i) check_form(about, i, forms[i], forms[0]);
  check_alternatives(
      about, [&](std::size_t i) { return i < forms.size() && is_given(forms[i]); }, given);
}

bool is_optional(const output_description& output) { return output.optional; }

/// The checks of an operator that need no pixels. `inputs` have no memory, `values` are complete.
void check_values(const operator_description& about, std::span<const const_image_view> inputs,
                  const arguments& values, const context& how) {
  const auto& first = inputs[0];
  job work{how, {}};
  const call call{about, inputs, {}, values, work};
  if (call.has(parameter_kind::connectivity)) call.near();
  for (const auto& output : about.outputs) type_of(output, first.type(), first.shape(), values);
  if (about.check && first.shape().pixels() > 0) about.check(call);
}

/// Images of these forms. Open fields become `type` and a shape of one pixel with `rank` axes.
std::vector<const_image_view> images_of(std::span<const image_form> forms, dtype type, int rank) {
  const auto pixel = rank == 3 ? extents{1, 1, 1} : extents{1, 1};
  std::vector<const_image_view> images;
  for (const auto& form : forms) {
    const auto shape = form.shape.value_or(pixel);
    const int channels = form.channels.value_or(1);
    images.emplace_back(nullptr, form.type.value_or(type), shape, contiguous_strides(shape, channels),
                        channels);
  }
  return images;
}

/// Throws if the operator accepts no image of these forms.
void check_some(const operator_description& about, std::span<const image_form> forms, const arguments& values,
                const context& how) {
  constexpr std::array all_types{dtype::u8,  dtype::boolean, dtype::i8,  dtype::i16, dtype::u16, dtype::i32,
                                 dtype::u32, dtype::i64,     dtype::u64, dtype::f32, dtype::f64};
  const auto types = std::span(all_types).first(forms[0].type ? 1 : all_types.size());
  const bool any_rank = !forms[0].shape;
  std::exception_ptr first;
  for (const auto type : types)
    for (const int rank : {2, 3}) {
      if (rank == 3 && !any_rank) break;
      try {
        return check_values(about, images_of(forms, forms[0].type.value_or(type), rank), values, how);
      } catch (const call_error& refused) {
        if (any_rank && refused.problem().kind == fault::axes) return;  // the number of axes is not known yet
        if (!first) first = std::current_exception();
      } catch (const usage_error&) {
        if (!first) first = std::current_exception();
      }
    }
  std::rethrow_exception(first);
}

}  // namespace

void check_gives(const operator_description& about, result_kind wanted) {
  const auto given = !about.shapes.empty()  ? result_kind::shapes
                     : !about.table.empty() ? result_kind::table
                                            : result_kind::images;
  constexpr std::array instead{"gives images: use run_operator", "gives a table: use compute_table",
                               "gives polygons: use compute_shapes"};
  if (given != wanted)
    throw call_error({.kind = fault::conflict,
                      .operation = std::string(about.name),
                      .parts = {instead[static_cast<std::size_t>(given)]}});
}

void check_context(const context& how) {
  constexpr int most = 1024;
  if (how.threads >= 0 && how.threads <= most) return;
  const auto allowed = "0 (as many as the machine has) to " + std::to_string(most);
  throw call_error({.kind = fault::value,
                    .parts = {"threads: expected " + allowed + ", got " + std::to_string(how.threads)},
                    .given = std::to_string(how.threads),
                    .allowed = allowed});
}

void check_inputs(const operator_description& about, std::span<const const_image_view> inputs,
                  const arguments& given) {
  check_count(about, inputs.size());
  const auto first = form_of(inputs[0]);
  check_type(about, first);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_alignment(inputs[i], {about, error_part::role::input, about.inputs[i].name});
    check_form(about, i, form_of(inputs[i]), first);
  }
  check_alternatives(
      about, [&](std::size_t i) { return i < inputs.size() && is_given(form_of(inputs[i])); }, given);
}

dtype type_of(const output_description& output, dtype input, const extents& shape, const arguments& all) {
  switch (output.type) {
    case output_description::type_rule::same_as_input:
      return input;
    case output_description::type_rule::boolean:
      return dtype::boolean;
    case output_description::type_rule::computed:
      return output.computed(all, input, shape);
  }
  throw internal_error("no such rule for the type of an output");
}

extents shape_of(const output_description& output, const extents& input, const arguments& all) {
  return output.shape ? output.shape(all, input) : input;
}

int channels_of(const output_description& output, int input, const arguments& all) {
  return output.channels ? output.channels(all, input) : input;
}

void check_outputs(const operator_description& about, std::span<const const_image_view> inputs,
                   std::span<const image_view> outputs, const arguments& all) {
  const auto required = about.outputs.size() - std::ranges::count_if(about.outputs, is_optional);
  if (outputs.size() < required || outputs.size() > about.outputs.size())
    throw call_error({.kind = fault::count,
                      .operation = std::string(about.name),
                      .parts = {"gives " + std::to_string(about.outputs.size()) + " image(s), got room for " +
                                std::to_string(outputs.size())}});
  const auto& first = inputs[0];
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto& output = outputs[o];
    if (is_optional(about.outputs[o]) && !output.data()) continue;
    const image_name image{about, error_part::role::output, about.outputs[o].name};
    const auto type = type_of(about.outputs[o], first.type(), first.shape(), all);
    const auto channels = channels_of(about.outputs[o], first.channels(), all);
    const auto shape = shape_of(about.outputs[o], first.shape(), all);
    if (output.shape() != shape || output.channels() != channels)
      throw image.refused(
          fault::shape,
          " must " +
              (channels == 1 ? "be grey and " : "have " + std::to_string(channels) + " channels and be ") +
              to_string(shape) + (about.outputs[o].shape ? "" : ", like the input"),
          to_string(output.shape()), to_string(shape));
    if (output.type() != type)
      throw image.refused(fault::type,
                          " must have pixels of type " + std::string(name_of(type)) + ", not " +
                              std::string(name_of(output.type())),
                          std::string(name_of(output.type())), std::string(name_of(type)));
    check_alignment(output, image);
    if (folds_onto_itself(output))
      throw image.refused(fault::memory, ": its strides map two pixels to one address");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool allowed =
          i == 0 && about.outputs[o].may_replace_first_input && same_pixels(output, inputs[i]);
      if (!allowed && overlap(output, inputs[i]))
        throw call_error({.kind = fault::memory,
                          .operation = std::string(about.name),
                          .parts = {"output ", output_named(about.outputs[o].name), " overlaps input ",
                                    input_named(about.inputs[i].name), ": give it memory of its own"}});
    }
    for (std::size_t other = 0; other < o; ++other)
      if (overlap(output, outputs[other])) throw image.refused(fault::memory, " overlaps another output");
  }
}

image_form form_of(const const_image_view& image) {
  const bool given = image.data() || image.shape() != extents{};
  return given ? image_form{image.type(), image.shape(), image.channels()} : image_form{.shape = extents{}};
}

void validate(const operator_description& about, std::span<const image_form> forms, const arguments& given,
              const context& how) {
  check_context(how);
  check_forms(about, forms, given);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  // Without a shape `auto` does not look for a GPU.
  const auto shape = forms[0].shape.value_or(extents{0, 0});
  const const_image_view first(nullptr, forms[0].type.value_or(dtype::u8), shape, contiguous_strides(shape));
  choose_device(about, std::span(&first, 1), {}, how);
  check_some(about, forms, values, how);
}

}  // namespace macareu
