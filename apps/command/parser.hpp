// The arguments of one verb: what they are, for parsing and for help. CLI11 sits behind it, in one file.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace macareu::tool {

struct option {
  std::string group;  ///< heading in the help
  std::string names;  ///< "-o,--output"; of an input its name alone: "MASK"
  /// What follows it, in capitals or as choices: "FILE". Nothing for a flag and for an input.
  std::string value = {};
  std::string help;
  bool required = false;
  bool several = false;  ///< any number of them
  /// Called with every value given ("true" for a flag). It throws usage_error where the value cannot be.
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
