// A generated program that is called once for every line of the standard input: a GPU is opened once for many
// images. With arguments it is the program itself. MAIN is its main.cpp.
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#define main program
#include MAIN
#undef main

int main(int count, char** texts) {
  if (count > 1) return program(count, texts);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream stream("program " + line);
    std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
    std::vector<char*> arguments;
    for (auto& each : words) arguments.push_back(&each[0]);
    const int code = program(static_cast<int>(arguments.size()), arguments.data());
    if (code != 0) return code;
    std::puts("--");
  }
  return 0;
}
