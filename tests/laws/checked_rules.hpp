// Which rules the tests of laws check, by pattern: tests/laws/every_rule.cpp compares them with the sources.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <typeinfo>

namespace macareu::test {

enum class pattern { wave, reduce, tally, line, component, edges, gather };

/// Filled before any test runs.
inline std::set<std::string>& checked_rules(pattern of) {
  static std::set<std::string> names[7];
  return names[static_cast<int>(of)];
}

/// Without its namespace and template arguments.
template <class Rule>
std::string plain_name_of() {
  const std::unique_ptr<char, decltype(&std::free)> full(
      abi::__cxa_demangle(typeid(Rule).name(), nullptr, nullptr, nullptr), &std::free);
  const std::string name = std::string(full.get()).substr(0, std::string(full.get()).find('<'));
  return name.substr(name.rfind(':') + 1);
}

template <pattern Of, class Rule>
inline const bool is_checked = checked_rules(Of).insert(plain_name_of<Rule>()).second;

/// Code that calls this checks the laws of the rule. It is enough that the call is compiled.
template <pattern Of, class Rule>
void counts_as_checked() {
  static_cast<void>(&is_checked<Of, Rule>);
}

}  // namespace macareu::test
