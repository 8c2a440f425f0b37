// Every operator described once. Command line, bindings, reference pages and the C++ functions of
// <macareu/operators.hpp> come from these descriptions.
#pragma once

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
#include <macareu/number.hpp>
#include <macareu/table.hpp>

namespace macareu {

struct call;  // of the library's own

/// `numbers` is a list, one number or several; `intervals` is a list LOW:HIGH,... that may be empty: none.
enum class parameter_kind { connectivity, choice, flag, number, numbers, intervals };

/// A choice is given by its text; anything else may be, as on a command line.
using argument =
    std::variant<bool, number, std::string, connectivity, std::vector<number>, std::vector<interval>>;
using arguments = std::map<std::string, argument, std::less<>>;

struct parameter_description {
  std::string_view name;
  parameter_kind kind;
  std::string_view default_text;  ///< empty: the caller must give a value
  std::string_view help;
  std::string_view choices = {};  ///< of a choice, separated by '|'
  /// A number must be greater than this, or any where it is -inf. Where the default is inf or auto, that may
  /// be given too; auto is NaN.
  double above = 0;
  bool or_equal = false;  ///< it may be `above` itself
};

struct input_description {
  std::string_view name;
  std::string_view help;
  bool own_form = false;  ///< grey, of any type and shape; others have those of the first input
  bool own_type = false;  ///< others have the type of the first input
  bool optional = false;  ///< may be left out; only the last can be
  bool mask = false;      ///< of type bool, whatever that of the first input is
};

/// An output has the shape and the channels of the first input.
struct output_description {
  enum class type_rule { same_as_input, boolean, computed };
  std::string_view name;
  type_rule type;
  std::string_view help;
  bool may_replace_first_input = false;  ///< the caller may give the first input's memory for it
  /// Of type_rule::computed: the type for a complete set of arguments and an input's type and shape, and what
  /// it is in words.
  dtype (*computed)(const arguments& all, dtype input, const extents& shape) = nullptr;
  std::string_view computed_help = {};
  bool optional = false;  ///< computed only where the caller has room for it; never the first
};

/// What other libraries call the operator, or what comes nearest; several names are separated by ", ".
struct peer_names {
  std::string_view skimage = {};  ///< below skimage
  std::string_view scipy = {};    ///< below scipy
  std::string_view itk = {};      ///< in namespace itk
  std::string_view matlab = {};
  std::string_view opencv = {};  ///< in namespace cv
  std::string_view diplib = {};  ///< in namespace dip
};

struct operator_description {
  std::string_view name;     ///< in C++ and Python
  std::string_view verb;     ///< on the command line
  std::string_view group;    ///< heading in lists
  std::string_view pattern;  ///< whose strategies apply: wave, general_wave (any rule), line ...
  std::string_view brief;    ///< one sentence
  std::string_view notes;    ///< formula, and what is decided where peers disagree
  std::span<const input_description> inputs;
  std::span<const output_description> outputs;
  std::span<const parameter_description> parameters;
  bool each_channel = false;    ///< colour images are taken channel by channel; others refuse them
  std::string_view table = {};  ///< of an operator that gives a table, and no image: what is in it
  bool is_histogram = false;    ///< its table has the columns from, to and count
  bool in_blocks = false;       ///< images may exceed a GPU's memory, or be shared by several GPUs
  bool takes_labels = false;    ///< the first input has the numbers of objects
  bool gives_labels = false;    ///< the first output has the numbers of objects
  /// Throws usage_error for what forms and arguments have wrong that parameters and the types of outputs do
  /// not tell. The images of the call have no pixels.
  void (*check)(const call&) = nullptr;
  std::span<const dtype> types = {};  ///< that the first input may have; empty: any
  /// For one front end alone: no verb, no function of <macareu/operators.hpp>, not in catalogue().
  bool hidden = false;
  std::string_view formula = {};  ///< R_f(m) is reconstruct(m, f) by dilation, R*_f(m) by erosion
  peer_names peers = {};
};

std::span<const operator_description> catalogue();
/// Those of the catalogue, then the hidden ones.
std::span<const operator_description> all_operators();
/// By name or verb, of all operators; nullptr where there is none.
const operator_description* find_operator(std::string_view name);

/// For messages about unknown names: " (did you mean clip?)" where one of the names is near, else nothing.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);
/// The operator that a mistyped name, or a name of another library, most likely means; nullptr where there is
/// none.
const operator_description* nearest_operator(std::string_view name);

/// The devices of this build, whether or not this machine has them: asks no driver.
std::vector<std::string_view> built_devices();
/// Those that can run here, and what `strategy` may be on one of them.
std::vector<std::string_view> devices();
std::vector<std::string_view> strategies(std::string_view device, std::string_view pattern);

/// Throws call_error naming the parameter and what it takes.
argument parse_argument(const parameter_description& parameter, std::string_view text);

/// The pixel type of an output; parameters that are not given have their default.
dtype output_type(const operator_description& about, std::size_t output, dtype input, const extents& shape,
                  const arguments& given = {});

/// What is known of an image before its pixels are.
struct image_form {
  std::optional<dtype> type = {};
  std::optional<extents> shape = {};
  std::optional<int> channels = {};
};

/// Checks what forms, arguments and context alone decide, and computes nothing. Throws what running the call
/// would throw: usage_error, mostly as a call_error, and device_error. A form may leave anything open: the
/// call is refused where it would be whatever the image turns out to be.
void validate(const operator_description& about, std::span<const image_form> forms,
              const arguments& given = {}, const context& how = {});

/// Runs an operator; parameters that are not given have their default. Throws usage_error before any work for
/// what shapes, types and arguments can have wrong. Gives the outputs that are not optional.
std::vector<image> run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                                const arguments& given = {}, const context& how = {});

/// The same into memory of the caller. It may be that of the first input where the description says so; no
/// other overlap is allowed. An optional output is left out where its view has no memory, or where the list
/// ends before it.
void run_operator(const operator_description& about, std::span<const const_image_view> inputs,
                  std::span<const image_view> outputs, const arguments& given = {}, const context& how = {});

/// Runs an operator that gives a table: of an empty image one without rows, of colour one with rows for each
/// channel and a column `channel` before the others.
table compute_table(const operator_description& about, std::span<const const_image_view> inputs,
                    const arguments& given = {}, const context& how = {});

}  // namespace macareu
