// The arguments of one verb, for parsing and for help. Only parser.cpp uses CLI11.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace macareu::tool {

struct option {
  std::string group;  ///< heading in the help
  std::string names;  ///< "-o,--output"; for an input its name alone: "MASK"
  /// The value, in capitals or as choices: "FILE". Empty for a flag and for an input.
  std::string value = {};
  std::string help;
  bool required = false;
  bool several = false;  ///< may be repeated
  /// Called with every given value ("true" for a flag). Throws usage_error if the value is invalid.
  std::function<void(const std::string&)> take;

  bool is_input() const { return !names.starts_with('-'); }
  bool is_flag() const { return !is_input() && value.empty(); }
};

class parser {
 public:
  void add(option about) { options_.push_back(std::move(about)); }
  const std::vector<option>& options() const { return options_; }

  /// Throws usage_error, naming what is missing, unknown or wrong.
  void parse(const std::vector<std::string>& arguments) const;

 private:
  std::vector<option> options_;
};

}  // namespace macareu::tool
