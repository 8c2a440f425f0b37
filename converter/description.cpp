#include "description.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

#include <macareu/error.hpp>

#include "c_mathematics.hpp"
#include "cache.hpp"
#include "macros.hpp"

namespace macareu::converter {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> categories{"p2p", "n2p", "r2s", "r2v", "iwpp"};

dtype type_from(const json& name) {
  const auto type = dtype_named(name.get<std::string>());
  if (!type) throw usage_error("unknown type '" + name.get<std::string>() + "'");
  return *type;
}

/// Names go into source code: only letters (any UTF-8 alphabet), digits and underscores.
bool is_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text, is_letter);
}

std::string identifier(const json& name, bool may_be_empty = false) {
  auto text = name.get<std::string>();
  if (!is_name(text) && !(text.empty() && may_be_empty)) throw usage_error("'" + text + "' is not a name");
  return text;
}

/// Whether this spelling of a C++ number has this type. long matches i32 or i64.
bool spells(const std::string& spelling, dtype type) {
  constexpr bool wide = sizeof(long) == 8;
  if (spelling == "long") return type == (wide ? dtype::i64 : dtype::i32);
  if (spelling == "unsigned long") return type == (wide ? dtype::u64 : dtype::u32);
  return spelling == spelling_of(type);
}

/// Whether it names a colour struct: rgb, or struct rgb.
bool names_struct(const std::string& spelling) {
  return is_name(spelling.starts_with("struct ") ? spelling.substr(7) : spelling);
}

json written(const value_type& value) {
  return {{"type", macareu::name_of(value.type)}, {"spelling", value.spelling}, {"channels", value.channels}};
}

value_type value_from(const json& object) {
  value_type value{type_from(object.at("type")), object.at("spelling"), object.at("channels")};
  if (value.channels < 1 || value.channels > 16) throw usage_error("a pixel has 1 to 16 channels");
  if (value.channels == 1 && value.type == dtype::boolean) throw usage_error("bool is no pixel");
  if (value.channels == 1 ? !spells(value.spelling, value.type) : !names_struct(value.spelling))
    throw usage_error("'" + value.spelling + "' is no spelling of " + std::to_string(value.channels) + " x " +
                      std::string(macareu::name_of(value.type)));
  return value;
}

/// Invariants that the parser ensures when it reads a source.
void check_signature(const description& about) {
  const bool one = about.kind == category::n2p || about.kind == category::r2s || about.kind == category::r2v;
  const int most = one ? 1 : about.kind == category::iwpp ? 2 : 8;
  const int least = about.kind == category::iwpp ? 2 : 1;
  if (about.inputs < least || about.inputs > most)
    throw usage_error("expected " + std::to_string(least) + " to " + std::to_string(most) + " inputs");
  const auto rank = about.window.size();
  if (about.kind == category::n2p ? rank != 2 && rank != 3 : rank != 0)
    throw usage_error("expected a window of 2 or 3 axes for n2p, of none for others");
  for (const int size : about.window)
    if (size < 1 || size % 2 == 0 || size > widest_window)
      throw usage_error("a window of size " + std::to_string(size) + ", which must be odd and at most " +
                        std::to_string(widest_window));
  if (about.kind == category::r2s && !about.generic && about.pixel != about.result)
    throw usage_error("expected a reduction whose result has the type of its pixels");
  if (about.kind == category::iwpp && about.pixel != about.result)
    throw usage_error("expected a wave whose result has the type of its state");
  if (about.kind == category::r2v && about.result.type != dtype::i32 && about.result.type != dtype::u32 &&
      about.result.type != dtype::u64)
    throw usage_error("a vector of " + std::string(macareu::name_of(about.result.type)));
  const bool colour = about.kind == category::p2p || about.kind == category::n2p;
  if ((!colour && about.result.channels != 1) || about.capacity.channels != 1)
    throw usage_error("colour where a number is expected");
  if ((about.any_pixel || about.any_result) && !about.generic)
    throw usage_error("types left open in a function that names them");
}

description parsed(const json& object) {
  if (object.at("macareu-function") != format_version)
    throw usage_error("expected version " + std::to_string(format_version));
  description about;
  const auto kind = std::ranges::find(categories, object.at("category").get<std::string>());
  if (kind == categories.end()) throw usage_error("unknown category");
  about.kind = static_cast<category>(kind - categories.begin());
  about.file = object.at("file");
  about.function = identifier(object.at("function"));
  about.definitions = object.at("definitions");
  about.c_functions = object.at("c_functions").get<std::vector<std::string>>();
  for (const auto& each : about.c_functions)
    if (!is_c_mathematics(each)) throw usage_error("'" + each + "' is no function of mathematics");
  for (const auto& each : object.at("system_macros"))
    about.system_macros.push_back({identifier(each.at("name")), each.at("value"), each.at("arguments")});
  for (const auto& each : object.at("system_types"))
    about.system_types.push_back({identifier(each.at("name")), each.at("spelling")});
  about.helpers = object.at("helpers");
  about.body = object.at("body");
  about.pixel = value_from(object.at("pixel"));
  about.result = value_from(object.at("result"));
  about.capacity = value_from(object.at("capacity"));
  about.inputs = object.at("inputs");
  about.generic = object.at("generic");
  about.any_pixel = object.at("any_pixel");
  about.any_result = object.at("any_result");
  about.wide_index = object.at("wide_index");
  about.window = object.at("window").get<std::vector<int>>();
  about.parameter_struct = identifier(object.at("parameter_struct"), true);
  for (const auto& each : object.at("parameters"))
    about.parameters.push_back({identifier(each.at("name")), type_from(each.at("type"))});
  check_signature(about);
  return about;
}

}  // namespace

std::string_view name_of(category kind) { return categories[static_cast<std::size_t>(kind)]; }

std::string_view spelling_of(dtype type) {
  constexpr std::array<std::string_view, 11> names{
      "bool",         "signed char", "unsigned char",      "short", "unsigned short", "int",
      "unsigned int", "long long",   "unsigned long long", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

std::string ascii_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const unsigned char letter : name)
    if (letter < 0x80)
      result += static_cast<char>(letter);
    else
      result += {'_', digits[letter / 16], digits[letter % 16]};
  return result;
}

namespace {

std::string text_of(const json& object) {
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json object_of(const description& about) {
  json object;
  object["macareu-function"] = format_version;
  object["category"] = name_of(about.kind);
  object["file"] = about.file;
  object["function"] = about.function;
  object["pixel"] = written(about.pixel);
  object["result"] = written(about.result);
  object["capacity"] = written(about.capacity);
  object["inputs"] = about.inputs;
  object["generic"] = about.generic;
  object["any_pixel"] = about.any_pixel;
  object["any_result"] = about.any_result;
  object["wide_index"] = about.wide_index;
  object["window"] = about.window;
  object["parameter_struct"] = about.parameter_struct;
  object["parameters"] = json::array();
  for (const auto& each : about.parameters)
    object["parameters"].push_back({{"name", each.name}, {"type", macareu::name_of(each.type)}});
  object["definitions"] = about.definitions;
  object["c_functions"] = about.c_functions;
  object["system_macros"] = json::array();
  for (const auto& each : about.system_macros)
    object["system_macros"].push_back(
        {{"name", each.name}, {"value", each.value}, {"arguments", each.arguments}});
  object["system_types"] = json::array();
  for (const auto& each : about.system_types)
    object["system_types"].push_back({{"name", each.name}, {"spelling", each.spelling}});
  object["helpers"] = about.helpers;
  object["body"] = about.body;
  return object;
}

/// Hashes the parsed fields, so the layout of the text is free.
std::string checksum_of(const description& about) { return short_name(text_of(object_of(about))); }

}  // namespace

std::string to_json(const description& about) {
  auto object = object_of(about);
  object["checksum"] = checksum_of(about);
  return text_of(object);
}

void check_description(const description& about) { parsed(object_of(about)); }

description from_json(const std::string& text, const std::string& file) {
  try {
    const auto object = json::parse(text);
    const auto about = parsed(object);
    if (object.at("checksum") != checksum_of(about))
      throw usage_error("it was changed after it was written, and only a source is checked; edit the source");
    return about;
  } catch (const std::exception& e) {
    std::string why = e.what();
    if (why.starts_with("[json.exception.")) why.erase(0, why.find(']') + 2);
    throw usage_error(file + ": not a description of a function: " + why +
                      "; expected what `macareu convert filter.c -o filter.json` writes");
  }
}

}  // namespace macareu::converter
