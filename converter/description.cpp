#include "description.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

using json = nlohmann::ordered_json;

constexpr int format_version = 1;
constexpr std::array<std::string_view, 5> categories{"p2p", "n2p", "r2s", "r2v", "iwpp"};

dtype type_from(const json& name) {
  const auto type = dtype_named(name.get<std::string>());
  if (!type) throw usage_error("unknown type '" + name.get<std::string>() + "'");
  return *type;
}

/// Names go into source code: letters, digits and underscores, nothing else.
std::string identifier(const json& name, bool may_be_empty = false) {
  auto text = name.get<std::string>();
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (!std::ranges::all_of(text, fits) || (text.empty() ? !may_be_empty : std::isdigit(text[0])))
    throw usage_error("'" + text + "' is not a name");
  return text;
}

json written(const value_type& value) {
  return {{"type", macareu::name_of(value.type)}, {"spelling", value.spelling}, {"channels", value.channels}};
}

value_type value_from(const json& object) {
  value_type value{type_from(object.at("type")), object.at("spelling"), object.at("channels")};
  if (value.channels < 1 || value.channels > 16) throw usage_error("a pixel has 1 to 16 channels");
  return value;
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
  if (about.inputs < 1 || about.inputs > 8) throw usage_error("expected 1 to 8 inputs");
  if (about.kind == category::n2p && about.window.size() != 2 && about.window.size() != 3)
    throw usage_error("expected a window of 2 or 3 axes");
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

std::string to_json(const description& about) {
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
  object["helpers"] = about.helpers;
  object["body"] = about.body;
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

description from_json(const std::string& text, const std::string& file) {
  try {
    return parsed(json::parse(text));
  } catch (const json::exception& e) {
    throw usage_error(file + ": not a description of a function: " + e.what() +
                      "; expected what `macareu convert filter.c -o filter.json` writes");
  } catch (const usage_error& e) {
    throw usage_error(file + ": not a description of a function: " + e.what() +
                      "; expected what `macareu convert filter.c -o filter.json` writes");
  }
}

}  // namespace macareu::converter
