#include <macareu/catalogue.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/pieces.hpp>
#include <macareu/sources.hpp>

#include "catalogue/arguments.hpp"
#include "catalogue/checks.hpp"
#include "catalogue/device_choice.hpp"
#include "catalogue/gpu_start_up.hpp"
#include "core/shapes_call.hpp"
#include "engines/cpu/runtime/instruction_set.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "engines/cuda/strategies.hpp"

namespace macareu {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// An image in memory in pieces. An output that replaces the input gets its pixels while others are read.
void run_in_pieces_of(const operator_description& about, std::span<const const_image_view> inputs,
                      std::span<const image_view> outputs, const arguments& values, const context& how,
                      const piece_options& options, table* result, const take_shape* take) {
  std::deque<image> kept;
  std::vector<std::unique_ptr<image_source>> sources;
  std::vector<image_source*> from;
  for (const auto& input : inputs) {
    const bool given = input.data() || input.shape() != extents{};
    from.push_back(given ? sources.emplace_back(source_of(input)).get() : nullptr);
    if (!given || std::ranges::find(outputs, input.data(), &image_view::data) == outputs.end()) continue;
    auto& copy = kept.emplace_back(input.type(), input.shape(), input.channels());
    from.back()->read(whole_of(input.shape()), copy.data());
    from.back() = sources.emplace_back(source_of(copy)).get();
  }
  std::vector<std::unique_ptr<image_sink>> sinks;
  std::vector<image_sink*> to;
  for (std::size_t o = 0; o < about.outputs.size(); ++o)
    to.push_back(o < outputs.size() && outputs[o].data() ? sinks.emplace_back(sink_to(outputs[o])).get()
                                                         : nullptr);
  if (take)
    compute_shapes_in_pieces(about, from, *take, values, how, options);
  else if (result)
    *result = compute_table_in_pieces(about, from, values, how, options);
  else
    run_in_pieces(about, from, to, values, how, options);
}

void run_checked(const device_choice& choice, std::span<const const_image_view> inputs,
                 std::span<const image_view> outputs, const arguments& values, const context& how,
                 table* result = nullptr, const take_shape* take = nullptr) {
  const auto& about = *choice.chosen->about;
  // Blocks do not change the result: where the engine has no pieces, or a GPU the images, they are as a
  // whole.
  const auto wanted =
      choice.chosen->works_in_pieces && choice.images_on_host ? wanted_pieces(about, values) : std::nullopt;
  if (inputs[0].shape().pixels() > 0 && (wanted || needs_pieces(choice, inputs, outputs, how))) {
    piece_options options;
    if (wanted) options.size = *wanted;
    auto on_device = how;
    if (how.device != "auto") on_device.device = choice.device;
    return run_in_pieces_of(about, inputs, outputs, values, on_device, options, result, take);
  }
  auto told = how;
  told.device = choice.device;
  job work{told, {}, choice.images_on_gpu, choice.in_stream_order};
  work.report.note = choice.note;
  const shapes_call call{
      {*choice.chosen->about, inputs, outputs, values, work, result}, take, inputs[0].shape().pixels()};
  if (call.has(parameter_kind::connectivity))
    call.near();  // throws for empty images too, if the number does not fit the rank
  if (call.about.check && inputs[0].shape().pixels() > 0) call.about.check(call);
  const auto begin = std::chrono::steady_clock::now();
  work.check_stop();
  const auto* ran = choice.chosen;
  const auto run = [&](const entry& on) {
    if (inputs[0].shape().pixels() > 0) on.code_for(call)(call);
  };
  const auto gpu = cuda::gpu_named(choice.device);
  try {
    if (gpu) start_gpu(*gpu);
    run(*ran);
  } catch (const device_error& failure) {
    if (!choice.instead || work.results_touched) throw;
    ran = choice.instead;
    told.device = ran->engine;
    work.report = {};
    if (result) *result = {};
    work.report.note = computed_elsewhere(failure, *ran);
    run(*ran);
  }
  if (how.progress) how.progress(1);
  if (how.report) {
    *how.report = work.report;
    if (gpu) how.report->gpu_start_up = gpu_start_up();
    how.report->device = how.device == "auto" ? std::string(ran->engine) : how.device;
    how.report->compute_seconds = seconds_since(begin) - work.report.transfer_seconds;
  }
}

}  // namespace

const operator_description* find_operator(std::string_view name) {
  const auto all = all_operators();
  const auto found = std::ranges::find_if(
      all, [&](const operator_description& about) { return about.name == name || about.verb == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> built_devices() {
  std::vector<std::string_view> names;
  for (const auto& e : entries())
    if (std::ranges::find(names, e.engine) == names.end()) names.push_back(e.engine);
  if (cuda::is_built()) names.push_back("cuda");
  return names;
}

std::vector<std::string_view> devices() {
  auto names = built_devices();
  std::erase_if(names, [](std::string_view name) { return !can_run_here(name); });
  return names;
}

std::vector<std::string_view> strategies(std::string_view device, std::string_view pattern) {
  if (device == "cuda") return cuda::is_built() ? cuda::strategies(pattern) : std::vector<std::string_view>();
  const auto all = entries();
  const auto found = std::ranges::find(all, device, &entry::engine);
  return found == all.end() ? std::vector<std::string_view>() : found->strategies(pattern);
}

bool works_in_pieces(const operator_description& about, std::string_view device) {
  if (!about.in_pieces) return false;
  if (device == "cuda" || !cuda::gpus_named(device).empty()) return cuda::is_built() && cuda::in_pieces;
  const auto engine = device == "auto" ? "cpu" : device;
  return std::ranges::any_of(
      entries(), [&](const entry& each) { return each.engine == engine && each.works_in_pieces; });
}

dtype output_type(const operator_description& about, std::size_t output, dtype input, const extents& shape,
                  const arguments& given) {
  if (about.outputs[output].type != output_description::type_rule::computed)
    return type_of(about.outputs[output], input, shape, given);
  arguments room;
  return type_of(about.outputs[output], input, shape, complete_arguments(about, given, room));
}

extents output_shape(const operator_description& about, std::size_t output, const extents& input,
                     const arguments& given) {
  if (!about.outputs[output].shape) return input;
  arguments room;
  return shape_of(about.outputs[output], input, complete_arguments(about, given, room));
}

std::array<double, 3> output_scale(const operator_description& about, std::size_t output,
                                   const extents& input, const arguments& given) {
  std::array<double, 3> scale{1, 1, 1};
  if (!about.outputs[output].shape) return scale;
  arguments room;
  const auto& all = complete_arguments(about, given, room);
  const auto own = shape_of(about.outputs[output], input, all);
  const auto factor = std::ranges::find_if(about.parameters, &parameter_description::is_scale);
  for (int axis = 0; axis < input.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (factor != about.parameters.end()) {
      const auto& each = std::get<std::vector<number>>(all.find(factor->name)->second);
      scale[at] = each[each.size() == 1 ? 0 : at].to_double();
    } else if (own[axis] > 0) {
      scale[at] = static_cast<double>(input[axis]) / static_cast<double>(own[axis]);
    }
  }
  return scale;
}

int output_channels(const operator_description& about, std::size_t output, int input,
                    const arguments& given) {
  if (!about.outputs[output].channels) return input;
  arguments room;
  return channels_of(about.outputs[output], input, complete_arguments(about, given, room));
}

entry::function entry::code_for(const call& call, bool in_pieces) const {
  const auto type = call.inputs[0].type();
  const auto code_of = [&](const std::array<code, 11>& all) {
    const auto& found = all[static_cast<std::size_t>(type)];
    return in_pieces ? found.run_in_pieces : found.run;
  };
  if (is_usual && is_usual(call))
    if (const auto found = code_of(usual)) return found;
  if (const auto found = code_of(by_type)) return found;
  if (in_pieces && !works_in_pieces)
    throw call_error({.kind = fault::conflict,
                      .operation = std::string(about->name),
                      .parts = {"device '" + std::string(engine) + "' does not work in pieces; use cpu"},
                      .given = std::string(engine)});
  throw call_error({.kind = fault::type,
                    .operation = std::string(about->name),
                    .parts = {"this build has no code for " + std::string(in_pieces ? "pieces" : "pixels") +
                              " of type " + std::string(name_of(type)) + (is_usual ? " in this call" : "") +
                              "; build all of it with make (-DMACAREU_OPERATORS=all)"},
                    .given = std::string(name_of(type))});
}

namespace {

void join_code(std::array<entry::code, 11>& all, const std::array<entry::code, 11>& part) {
  for (std::size_t type = 0; type < all.size(); ++type) {
    if (part[type].run) all[type].run = part[type].run;
    if (part[type].run_in_pieces) all[type].run_in_pieces = part[type].run_in_pieces;
  }
}

}  // namespace

std::vector<entry> joined_entries(const std::vector<entry>& parts) {
  std::vector<entry> all;
  const auto join = [&](const entry& part) {
    const auto same = std::ranges::find_if(all, [&](const entry& each) {
      return each.engine == part.engine && each.about->name == part.about->name;
    });
    if (same == all.end()) return all.push_back(part);
    join_code(same->by_type, part.by_type);
    join_code(same->usual, part.usual);
    if (part.is_usual) same->is_usual = part.is_usual;
  };
  std::ranges::for_each(parts, join);
  for (const auto make : cpu::chosen_instruction_set().operators) join(make());
  // Operators that this build leaves out are refused like types that it has no code for.
  if (const auto any = std::ranges::find(all, "cpu", &entry::engine); any != all.end())
    for (const auto strategies = any->strategies; const auto& about : all_operators())
      join({&about, "cpu", strategies, about.in_pieces});
  return all;
}

void run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                  std::span<const image_view> outputs, const arguments& given, const context& how) {
  check_gives(about, result_kind::images);
  check_context(how);
  check_inputs(about, inputs, given);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  check_outputs(about, inputs, outputs, values);
  run_checked(choose_device(about, inputs, outputs, how), inputs, outputs, values, how);
}

std::vector<image> run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                                const arguments& given, const context& how) {
  check_gives(about, result_kind::images);
  check_context(how);
  check_inputs(about, inputs, given);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  auto choice = choose_device(about, inputs, {}, how);
  choice.images_on_gpu = choice.in_stream_order = false;  // results are in host memory
  std::vector<image> results;
  std::vector<image_view> outputs;
  results.reserve(about.outputs.size());
  for (const auto& output : about.outputs)
    if (!output.optional)
      outputs.push_back(results.emplace_back(type_of(output, inputs[0].type(), inputs[0].shape(), values),
                                             shape_of(output, inputs[0].shape(), values),
                                             channels_of(output, inputs[0].channels(), values)));
  run_checked(choice, inputs, outputs, values, how);
  return results;
}

table compute_table(const operator_description& about, std::span<const const_image_view> inputs,
                    const arguments& given, const context& how) {
  check_gives(about, result_kind::table);
  check_context(how);
  check_inputs(about, inputs, given);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  table result;
  run_checked(choose_device(about, inputs, {}, how), inputs, {}, values, how, &result);
  return result;
}

void compute_shapes(const operator_description& about, std::span<const const_image_view> inputs,
                    const take_shape& take, const arguments& given, const context& how) {
  check_gives(about, result_kind::shapes);
  check_context(how);
  check_inputs(about, inputs, given);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  run_checked(choose_device(about, inputs, {}, how), inputs, {}, values, how, nullptr, &take);
}

std::vector<shape> compute_shapes(const operator_description& about, std::span<const const_image_view> inputs,
                                  const arguments& given, const context& how) {
  std::vector<shape> all;
  compute_shapes(
      about, inputs, [&](const shape& one) { all.push_back(one); }, given, how);
  std::ranges::sort(all, {}, &shape::label);
  return all;
}

}  // namespace macareu
