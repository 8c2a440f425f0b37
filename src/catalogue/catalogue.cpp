#include <macareu/catalogue.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <macareu/error.hpp>

#include "catalogue/arguments.hpp"
#include "catalogue/device_choice.hpp"

namespace macareu {
namespace {

/// First and last byte of a view, whatever the signs of its strides.
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
  // Interleaved channels share a range but no byte: all their pixels lie a multiple of the common step apart.
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

/// Two pixels of an output must not be one place in memory.
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

/// An image in messages. Calls of small images are over before a few strings are made, so that messages are
/// made where something is wrong.
struct image_name {
  const operator_description& about;
  std::string_view kind, name;

  std::string operator+(std::string_view more) const {
    std::string text(about.name);
    return text.append(": ").append(kind).append(name).append(more);
  }
};

/// Engines read pixels that another thread may write through atomics, which need it.
void check_alignment(const const_image_view& view, const image_name& image) {
  const auto size = size_of(view.type());
  if (reinterpret_cast<std::uintptr_t>(view.data()) % size != 0)
    throw usage_error(image + ": pixels of type " + std::string(name_of(view.type())) +
                      " must lie at multiples of " + std::to_string(size) + " bytes: copy the image first");
}

void check_inputs(const operator_description& about, std::span<const const_image_view> inputs) {
  const bool one_less = !about.inputs.empty() && about.inputs.back().optional;
  if (inputs.size() != about.inputs.size() && !(one_less && inputs.size() + 1 == about.inputs.size()))
    throw usage_error(std::string(about.name) + ": takes " +
                      (one_less ? std::to_string(about.inputs.size() - 1) + " or " : "") +
                      std::to_string(about.inputs.size()) + " image(s), got " +
                      std::to_string(inputs.size()));
  const auto& first = inputs[0];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& input = inputs[i];
    const image_name image{about, "", about.inputs[i].name};
    check_alignment(input, image);
    const auto has = [&] { return image + " has " + std::to_string(input.channels()) + " channels"; };
    if (input.channels() != 1 && (!about.each_channel || about.inputs[i].own_form))
      throw usage_error(has() + ": choose one or make it grey (channel N or luminance)");
    if (about.inputs[i].own_form) continue;
    if (input.channels() != first.channels())
      throw usage_error(has() + ", but " + std::string(about.inputs[0].name) + " has " +
                        std::to_string(first.channels()) + ": they must have as many");
    if (input.shape() != first.shape())
      throw usage_error(image + " is " + to_string(input.shape()) + ", but " +
                        std::string(about.inputs[0].name) + " is " + to_string(first.shape()) +
                        ": they must have one shape");
    if (input.type() != first.type() && !about.inputs[i].own_type)
      throw usage_error(image + " has pixels of type " + std::string(name_of(input.type())) + ", but " +
                        std::string(about.inputs[0].name) + " of " + std::string(name_of(first.type())) +
                        ": they must have one type");
  }
}

bool is_optional(const output_description& output) { return output.optional; }

enum class result_kind { images, table };

void check_gives(const operator_description& about, result_kind wanted) {
  const auto given = about.table.empty() ? result_kind::images : result_kind::table;
  if (given != wanted)
    throw usage_error(std::string(about.name) + (given == result_kind::table
                                                     ? ": gives a table: use compute_table"
                                                     : ": gives images: use run_operator"));
}

/// `all` is complete.
dtype type_of(const output_description& output, const const_image_view& input, const arguments& all) {
  switch (output.type) {
    case output_description::type_rule::same_as_input:
      return input.type();
    case output_description::type_rule::boolean:
      return dtype::boolean;
    case output_description::type_rule::computed:
      return output.computed(all, input.type(), input.shape());
  }
  throw internal_error("no such rule for the type of an output");
}

void check_outputs(const operator_description& about, std::span<const const_image_view> inputs,
                   std::span<const image_view> outputs, const arguments& values) {
  const auto required = about.outputs.size() - std::ranges::count_if(about.outputs, is_optional);
  if (outputs.size() < required || outputs.size() > about.outputs.size())
    throw usage_error(std::string(about.name) + ": gives " + std::to_string(about.outputs.size()) +
                      " image(s), got room for " + std::to_string(outputs.size()));
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto& output = outputs[o];
    if (is_optional(about.outputs[o]) && !output.data()) continue;
    const image_name image{about, "output ", about.outputs[o].name};
    const auto type = type_of(about.outputs[o], inputs[0], values);
    const auto channels = inputs[0].channels();
    if (output.shape() != inputs[0].shape() || output.channels() != channels)
      throw usage_error(
          image + " must " +
          (channels == 1 ? "be grey and " : "have " + std::to_string(channels) + " channels and be ") +
          to_string(inputs[0].shape()) + ", like the input");
    if (output.type() != type)
      throw usage_error(image + " must have pixels of type " + std::string(name_of(type)) + ", not " +
                        std::string(name_of(output.type())));
    check_alignment(output, image);
    if (folds_onto_itself(output)) throw usage_error(image + ": its strides put two pixels on one place");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool allowed =
          i == 0 && about.outputs[o].may_replace_first_input && same_pixels(output, inputs[i]);
      if (!allowed && overlap(output, inputs[i]))
        throw usage_error(image + " overlaps input " + std::string(about.inputs[i].name) +
                          ": give it memory of its own");
    }
    for (std::size_t other = 0; other < o; ++other)
      if (overlap(output, outputs[other])) throw usage_error(image + " overlaps another output");
  }
}

void check_context(const context& how) {
  constexpr int most = 1024;
  if (how.threads < 0 || how.threads > most)
    throw usage_error("threads: expected 0 (as many as the machine has) to " + std::to_string(most) +
                      ", got " + std::to_string(how.threads));
}

/// Columns of one name hold one kind of number; what differs becomes f64.
void append(table_column& to, table_column&& more) {
  const auto doubles = [](table_column& column) {
    if (std::holds_alternative<std::vector<double>>(column.values)) return;
    std::vector<double> converted;
    for (std::size_t i = 0; i < column.size(); ++i) converted.push_back(column[i].to_double());
    column.values = std::move(converted);
  };
  if (to.values.index() != more.values.index()) {
    doubles(to);
    doubles(more);
  }
  std::visit(
      [&](auto& all) {
        const auto& added = std::get<std::remove_cvref_t<decltype(all)>>(more.values);
        all.insert(all.end(), added.begin(), added.end());
      },
      to.values);
}

/// The rows of a channel, with its number before the other columns.
void add_channel(table& to, int channel, table&& own) {
  own.columns.insert(own.columns.begin(), {"channel", std::vector<std::int64_t>(own.rows(), channel)});
  if (to.columns.empty())
    to = std::move(own);
  else
    for (std::size_t c = 0; c < to.columns.size(); ++c) append(to.columns[c], std::move(own.columns[c]));
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run_checked(const device_choice& choice, std::span<const const_image_view> inputs,
                 std::span<const image_view> outputs, const arguments& values, const context& how,
                 table* result = nullptr) {
  auto told = how;
  told.device = choice.device;
  job work{told, {}, choice.images_on_gpu, choice.in_stream_order};
  work.report.note = choice.note;
  const call call{*choice.chosen->about, inputs, outputs, values, work, result};
  if (values.contains("connectivity"))
    call.near();  // a number that does not fit the rank is an error for empty images too
  const auto begin = std::chrono::steady_clock::now();
  work.check_stop();
  const auto* ran = choice.chosen;
  const auto run = [&](const entry& on) {
    if (inputs[0].shape().pixels() > 0) on.run(call);
  };
  try {
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
    how.report->device = how.device == "auto" ? std::string(ran->engine) : how.device;
    how.report->compute_seconds = seconds_since(begin) - work.report.transfer_seconds;
  }
}

}  // namespace

const operator_description* find_operator(std::string_view name) {
  const auto all = catalogue();
  const auto found = std::ranges::find_if(
      all, [&](const operator_description& about) { return about.name == name || about.verb == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> built_devices() {
  std::vector<std::string_view> names;
  for (const auto& e : entries())
    if (std::ranges::find(names, e.engine) == names.end()) names.push_back(e.engine);
  return names;
}

std::vector<std::string_view> devices() {
  auto names = built_devices();
  std::erase_if(names, [](std::string_view name) { return !can_run_here(name); });
  return names;
}

std::vector<std::string_view> strategies(std::string_view device, std::string_view pattern) {
  const auto all = entries();
  const auto found = std::ranges::find(all, device, &entry::engine);
  return found == all.end() ? std::vector<std::string_view>() : found->strategies(pattern);
}

dtype output_type(const operator_description& about, std::size_t output, dtype input, const extents& shape,
                  const arguments& given) {
  const const_image_view like(nullptr, input, shape, contiguous_strides(shape));
  if (about.outputs[output].type != output_description::type_rule::computed)
    return type_of(about.outputs[output], like, given);
  arguments room;
  return type_of(about.outputs[output], like, complete_arguments(about, given, room));
}

void for_each_channel(const call& whole, const std::function<void(const call&)>& visit) {
  const int channels = whole.inputs[0].channels();
  if (channels == 1) return visit(whole);
  for (int c = 0; c < channels; ++c) {
    std::vector<const_image_view> inputs;
    for (const auto& input : whole.inputs) inputs.push_back(input.channels() == 1 ? input : input.channel(c));
    std::vector<image_view> outputs;
    for (const auto& output : whole.outputs) outputs.push_back(output.channel(c));
    table own;
    visit({whole.about, inputs, outputs, whole.values, whole.work, whole.result ? &own : nullptr});
    if (whole.result) add_channel(*whole.result, c, std::move(own));
  }
}

void run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                  std::span<const image_view> outputs, const arguments& given, const context& how) {
  check_gives(about, result_kind::images);
  check_context(how);
  check_inputs(about, inputs);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  check_outputs(about, inputs, outputs, values);
  run_checked(choose_device(about, inputs, outputs, how), inputs, outputs, values, how);
}

std::vector<image> run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                                const arguments& given, const context& how) {
  check_gives(about, result_kind::images);
  check_context(how);
  check_inputs(about, inputs);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  auto choice = choose_device(about, inputs, {}, how);
  choice.images_on_gpu = choice.in_stream_order = false;  // results are in the host's memory
  std::vector<image> results;
  std::vector<image_view> outputs;
  results.reserve(about.outputs.size());
  for (const auto& output : about.outputs)
    if (!is_optional(output))
      outputs.push_back(
          results.emplace_back(type_of(output, inputs[0], values), inputs[0].shape(), inputs[0].channels()));
  run_checked(choice, inputs, outputs, values, how);
  return results;
}

table compute_table(const operator_description& about, std::span<const const_image_view> inputs,
                    const arguments& given, const context& how) {
  check_gives(about, result_kind::table);
  check_context(how);
  check_inputs(about, inputs);
  arguments room;
  const auto& values = complete_arguments(about, given, room);
  table result;
  run_checked(choose_device(about, inputs, {}, how), inputs, {}, values, how, &result);
  return result;
}

}  // namespace macareu
