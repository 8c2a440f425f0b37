// No rule of the sources is without a test of its laws.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "laws/checked_rules.hpp"

namespace macareu::test {
namespace {

/// Adds the structs and classes that have such a member. What a struct encloses is told by indentation, which
/// clang-format keeps.
void add_structs_with(const std::string& member, const std::filesystem::path& file,
                      std::set<std::string>& names) {
  std::ifstream lines(file);
  std::vector<std::pair<std::size_t, std::string>> enclosing;  // indentation, name
  for (std::string line; std::getline(lines, line);) {
    const auto indentation = line.find_first_not_of(' ');
    if (indentation == std::string::npos || line.compare(indentation, 2, "//") == 0) continue;
    while (!enclosing.empty() && enclosing.back().first >= indentation) enclosing.pop_back();
    const auto word = line.substr(indentation, line.find(' ', indentation) - indentation);
    if ((word == "struct" || word == "class") && !line.ends_with(';')) {
      const auto begin = indentation + word.size() + 1;
      enclosing.emplace_back(indentation, line.substr(begin, line.find_first_of(" :{", begin) - begin));
    } else if (line.find(member) != std::string::npos) {
      ASSERT_FALSE(enclosing.empty()) << file << " has this outside of both: " << line;
      names.insert(enclosing.back().second);
    }
  }
}

std::set<std::string> structs_with(const std::vector<std::string>& members) {
  std::set<std::string> names;
  for (const char* folder : {"patterns", "operators"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(MACAREU_SOURCE_DIR "/src/" + std::string(folder))) {
      // The contract's own rules stand for all and compute nothing.
      if (!entry.is_regular_file() || entry.path().filename() == "engine.hpp") continue;
      for (const auto& member : members) add_structs_with(member, entry.path(), names);
    }
  return names;
}

/// The members are those that the pattern's concept asks for.
TEST(every_rule, of_waves_is_checked) {
  EXPECT_EQ(checked_rules(pattern::wave), structs_with({"using algebra =", "bool confluent ="}));
}
TEST(every_rule, of_reductions_is_checked) {
  EXPECT_EQ(checked_rules(pattern::reduce), structs_with({" identity() const"}));
}
TEST(every_rule, of_tallies_is_checked) {
  EXPECT_EQ(checked_rules(pattern::tally), structs_with({"using row ="}));
}
TEST(every_rule, of_lines_is_checked) {
  EXPECT_EQ(checked_rules(pattern::line), structs_with({" cost(std::int64_t"}));
}
TEST(every_rule, of_components_is_checked) {
  EXPECT_EQ(checked_rules(pattern::component), structs_with({" inside(T value) const"}));
}

TEST(every_rule, of_edges_is_checked) {
  EXPECT_EQ(checked_rules(pattern::edges), structs_with({"bool strength_is_derived ="}));
}

TEST(every_rule, of_gathers_is_checked) {
  EXPECT_EQ(checked_rules(pattern::gather), structs_with({" operator()(site p, const In& in) const"}));
}

}  // namespace
}  // namespace macareu::test
