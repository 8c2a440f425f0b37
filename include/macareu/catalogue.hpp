// Describes every operator once. Command line, bindings, reference pages and <macareu/operators.hpp> derive
// from these descriptions.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <macareu/connectivity.hpp>
#include <macareu/context.hpp>
#include <macareu/image.hpp>
#include <macareu/modules.hpp>
#include <macareu/number.hpp>
#include <macareu/table.hpp>

namespace macareu {

struct call;  // internal

/// `numbers` is a list of one or more numbers. `intervals` is a list LOW:HIGH,... or none. The operator
/// checks `text`.
enum class parameter_kind { connectivity, choice, flag, number, numbers, intervals, text };

/// Choices and text are given as text. Any other argument may be given as text too, as on a command line.
using argument =
    std::variant<bool, number, std::string, connectivity, std::vector<number>, std::vector<interval>>;
using arguments = std::map<std::string, argument, std::less<>>;

struct parameter_description {
  std::string_view name;
  parameter_kind kind;
  std::string_view default_text;  ///< empty: the caller must give a value
  std::string_view help;
  std::string_view choices = {};  ///< of a choice, separated by '|'
  /// A number must be greater than this; -inf allows any. If the default is inf or auto, callers may give it
  /// too; auto is NaN.
  double above = 0;
  bool or_equal = false;  ///< `above` itself is allowed
  double most = std::numeric_limits<double>::infinity();
  bool whole = false;     ///< no fractions
  bool is_scale = false;  ///< size of an output's pixels along each axis, in pixels of the first input
  bool is_block = false;  ///< slices (rows, in images) of a piece; inf: as a whole
  /// Stands instead of the input that is given by option or, without one, of the parameter before it. A call
  /// gives one of the two.
  bool is_alternative = false;
};

struct input_description {
  std::string_view name;
  std::string_view help;
  bool own_form = false;   ///< grey, of any type and shape; others have those of the first input
  bool own_type = false;   ///< others have the type of the first input
  bool optional = false;   ///< may be left out (no_image); after those that may not
  bool mask = false;       ///< of type bool, whatever that of the first input is
  bool by_option = false;  ///< on the command line --NAME FILE instead of a place; for optional ones
};

/// An output has the shape and the channels of the first input unless it says otherwise.
struct output_description {
  enum class type_rule { same_as_input, boolean, computed };
  std::string_view name;
  type_rule type;
  std::string_view help;
  bool may_replace_first_input = false;  ///< the caller may pass the first input's memory
  /// For type_rule::computed: the type, from a complete set of arguments and an input's type and shape. Its
  /// description follows.
  dtype (*computed)(const arguments& all, dtype input, const extents& shape) = nullptr;
  std::string_view computed_help = {};
  bool optional = false;  ///< computed only if the caller provides memory; never the first
  extents (*shape)(const arguments& all, const extents& input) = nullptr;
  int (*channels)(const arguments& all, int input) = nullptr;
};

/// Names of the operator, or of the nearest equivalent, in other libraries; separated by ", ".
struct peer_names {
  std::string_view skimage = {};  ///< below skimage
  std::string_view scipy = {};    ///< below scipy
  std::string_view itk = {};      ///< in namespace itk
  std::string_view matlab = {};
  std::string_view opencv = {};  ///< in namespace cv
  std::string_view diplib = {};  ///< in namespace dip
};

/// How often an operator in pieces reads a pixel of an input, at most, with default parameters and without
/// halos.
struct pixel_reads {
  int times = 1;
  std::string_view more = {};  ///< what the image may add to them
};

struct operator_description {
  std::string_view name;     ///< in C++ and Python
  std::string_view verb;     ///< on the command line
  std::string_view group;    ///< heading in lists
  std::string_view pattern;  ///< whose strategies apply: wave, general_wave (any rule), line ...
  std::string_view brief;    ///< one sentence
  std::string_view notes;    ///< formula, and the choice made where libraries disagree
  std::span<const input_description> inputs;
  std::span<const output_description> outputs;
  std::span<const parameter_description> parameters;
  bool each_channel = false;     ///< processes colour images by channel
  bool takes_colour = false;     ///< the first input has three channels, red, green and blue; others refuse
  std::string_view table = {};   ///< contents of the table, for operators that give one instead of images
  std::string_view shapes = {};  ///< what the polygons are, for operators that give them instead of images
  bool is_histogram = false;     ///< its table has the columns from, to and count
  bool takes_labels = false;     ///< the first input is a label image
  bool gives_labels = false;     ///< the first output is a label image
  /// Throws usage_error for constraints on forms and arguments that the descriptions cannot express. The
  /// images of the call have no pixels.
  void (*check)(const call&) = nullptr;
  std::span<const dtype> types = {};  ///< allowed for the first input; empty: any
  /// For one front end alone: no verb, no function of <macareu/operators.hpp>, not in catalogue().
  bool hidden = false;
  bool in_pieces = true;  ///< works on images larger than memory, on devices that do
  pixel_reads reads_in_pieces = {};
  /// The largest image that one GPU takes as a whole, in words of 64 pixels of a row; 0: any that fits its
  /// memory.
  std::int64_t most_gpu_words = 0;
  std::string_view formula = {};  ///< R_f(m) is reconstruct(m, f) by dilation, R*_f(m) by erosion
  peer_names peers = {};
};

std::span<const operator_description> catalogue();
/// Operators of the catalogue, then the hidden ones.
std::span<const operator_description> all_operators();
/// By name or verb, hidden ones included; nullptr if there is none.
const operator_description* find_operator(std::string_view name);

/// For messages about unknown names: " (did you mean clip?)" if one of the names is similar, else nothing.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);
/// The operator that a mistyped name, or a name of another library, most likely means; nullptr if there is
/// none.
const operator_description* nearest_operator(std::string_view name);

/// The devices of this build, whether or not this machine has them. Does not query a driver.
std::vector<std::string_view> built_devices();
/// The devices that can run on this machine, and the values of `strategy` on one of them.
std::vector<std::string_view> devices();
std::vector<std::string_view> strategies(std::string_view device, std::string_view pattern);

/// Whether the operator works in pieces on a device of this build. Does not query a driver.
bool works_in_pieces(const operator_description& about, std::string_view device);

/// Throws call_error naming the parameter and what it takes.
argument parse_argument(const parameter_description& parameter, std::string_view text);

/// A parameter's help, with the range of its number.
std::string help_text(const parameter_description& parameter);

/// The pixel type of an output; parameters that are not given have their default.
dtype output_type(const operator_description& about, std::size_t output, dtype input, const extents& shape,
                  const arguments& given = {});
/// Likewise its shape and channels.
extents output_shape(const operator_description& about, std::size_t output, const extents& input,
                     const arguments& given = {});
int output_channels(const operator_description& about, std::size_t output, int input,
                    const arguments& given = {});
/// Size of an output's pixels along each axis, in pixels of the first input: the value of a parameter that
/// is_scale, else the ratio of both shapes.
std::array<double, 3> output_scale(const operator_description& about, std::size_t output,
                                   const extents& input, const arguments& given = {});

/// In the place of an optional input that is not given. As a form: an image_form with the shape 0 x 0.
inline constexpr const_image_view no_image(nullptr, dtype::u8, extents{}, strides{});

/// Properties of an image that are known before its pixels.
struct image_form {
  std::optional<dtype> type = {};
  std::optional<extents> shape = {};
  std::optional<int> channels = {};
};

/// That of no_image stands for an image that is not given.
image_form form_of(const const_image_view& image);

/// Checks forms, arguments and context without computing anything. Throws what the call would throw:
/// usage_error, mostly as a call_error, and device_error. A form may leave fields open. The call is then
/// refused only if every matching image would be.
void validate(const operator_description& about, std::span<const image_form> forms,
              const arguments& given = {}, const context& how = {});

/// Runs an operator; missing parameters have their default. Throws usage_error before any work if shapes,
/// types or arguments are invalid. Returns the outputs that are not optional.
std::vector<image> run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                                const arguments& given = {}, const context& how = {});

/// The same into memory of the caller. An output may replace the first input where the description allows it;
/// no other overlap is allowed. An optional output is skipped if its view has no memory or the list ends
/// before it.
void run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                  std::span<const image_view> outputs, const arguments& given = {}, const context& how = {});

/// Runs an operator that gives a table. An empty image gives no rows. A colour image gives rows for each
/// channel, with `channel` as the first column.
table compute_table(const operator_description& about, std::span<const const_image_view> inputs,
                    const arguments& given = {}, const context& how = {});

}  // namespace macareu
