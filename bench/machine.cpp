#include "machine.hpp"

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

namespace macareu::bench {
namespace {

/// Part numbers of Arm cores: /proc/cpuinfo does not name them.
constexpr auto arm_parts =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"0xd08", "Cortex-A72"},
                                                                  {"0xd0b", "Cortex-A76"},
                                                                  {"0xd0c", "Neoverse-N1"},
                                                                  {"0xd40", "Neoverse-V1"},
                                                                  {"0xd49", "Neoverse-N2"},
                                                                  {"0xd4f", "Neoverse-V2"}});

std::string cpuinfo(std::string_view field) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const auto colon = line.find(": "); line.starts_with(field) && colon != std::string::npos)
      return line.substr(colon + 2);
  return {};
}

}  // namespace

std::string processor() {
  if (auto name = cpuinfo("model name"); !name.empty()) return name;
  const auto maker = cpuinfo("CPU implementer"), part = cpuinfo("CPU part");
  for (const auto& [number, name] : arm_parts)
    if (maker == "0x41" && part == number) return std::string(name);
  return maker.empty() ? "unknown" : "implementer " + maker + " part " + part;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string commit() { return MACAREU_COMMIT; }

}  // namespace macareu::bench
