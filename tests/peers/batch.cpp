// Runs a list of jobs in one process, for comparisons with other programs. Each line of the list is
//   OPERATOR OUTPUT INPUT... [NAME=VALUE...]
// with paths without spaces; a table is written as CSV, relative to the folder of the list.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>

namespace {

using namespace macareu;

const parameter_description& parameter_of(const operator_description& about, std::string_view name) {
  for (const auto& parameter : about.parameters)
    if (parameter.name == name) return parameter;
  throw usage_error(std::string(about.name) + ": no such parameter: " + std::string(name));
}

void run_line(const std::filesystem::path& folder, const std::string& line) {
  std::istringstream words(line);
  std::string verb, output, word;
  words >> verb >> output;
  const auto* about = find_operator(verb);
  if (!about) throw usage_error("no such operator: " + verb);
  std::vector<image> images;
  arguments given;
  while (words >> word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      images.push_back(read_image(folder / word).pixels);
    } else {
      const auto name = word.substr(0, equals);
      given.emplace(name, parse_argument(parameter_of(*about, name), word.substr(equals + 1)));
    }
  }
  const std::vector<const_image_view> inputs(images.begin(), images.end());
  if (about->table.empty())
    write_image(folder / output, run_operator(*about, inputs, given)[0]);
  else
    std::ofstream(folder / output) << to_csv(compute_table(*about, inputs, given));
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: macareu_batch LIST\n", stderr);
    return 2;
  }
  const std::filesystem::path list = words[1];
  std::ifstream lines(list);
  std::string line;
  int done = 0;
  while (std::getline(lines, line)) {
    try {
      run_line(list.parent_path(), line);
      ++done;
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "%s: %s\n", line.c_str(), failure.what());
      return 1;
    }
  }
  std::printf("%d jobs\n", done);
  return done > 0 ? 0 : 1;
}
