#include "cpu_run.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include <macareu/error.hpp>

#include "cache.hpp"
#include "engines/cpu/runtime/units.hpp"

extern char** environ;

namespace macareu::converter {
namespace {

namespace fs = std::filesystem;

/// Must match templates/entry.cpp.
struct entry_call {
  const void* const* images;
  void* result;
  long long depth, height, width;
  const parameter_value* values;
  int bins, connectivity, threads;
  bool (*share)(void* engine, long long units, void (*act)(void* what, int thread, long long unit),
                void* what);
  void* engine;
  char* message;
  int message_size;
};

enum outcome { done, failed, stopped };

/// Lets the compiled function distribute its work through the library's cpu engine.
struct engine {
  const job& work;
  int threads;
  bool one_pass;  ///< progress is known only for a single pass over the image, not for waves

  static bool share(void* self, long long units, void (*act)(void*, int, long long), void* what) {
    const auto& own = *static_cast<engine*>(self);
    const auto visit = [&](int thread, std::int64_t unit) { act(what, thread, unit); };
    try {
      if (own.one_pass)
        cpu::over_told_units(own.work, 0, 1, own.threads, units, 1, visit);
      else
        cpu::over_units(own.work, own.threads, units, 1, visit);
      return true;
    } catch (const interrupted&) {
      return false;
    }
  }
};

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

std::vector<std::string> chosen_compiler() {
  std::istringstream words(environment("CXX", "c++"));
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  return command;
}

/// The compiler's path, size and modification time identify it. Querying its version would start a process on
/// every call.
std::string identity_of(const std::string& program) {
  std::vector<fs::path> candidates;
  std::istringstream directories(environment("PATH", ""));
  if (program.find('/') != std::string::npos)
    candidates.emplace_back(program);
  else
    for (std::string each; std::getline(directories, each, ':');)
      candidates.push_back(fs::path(each) / program);
  for (const auto& file : candidates) {
    std::error_code failure;
    const auto real = fs::canonical(file, failure);
    if (failure || !fs::is_regular_file(real, failure)) continue;
    return real.string() + " " + std::to_string(fs::file_size(real, failure)) + " " +
           std::to_string(fs::last_write_time(real, failure).time_since_epoch().count());
  }
  return "";
}

/// No contraction and no reordering: the same bits as every other engine.
std::vector<std::string> compiler_command() {
  auto command = chosen_compiler();
  for (const char* option : {"-std=c++17", "-O3", "-fno-math-errno", "-ffp-contract=off", "-fPIC", "-shared"})
    command.emplace_back(option);
  return command;
}

/// Returns the exit code; the output goes to `messages`.
int run_command(const std::vector<std::string>& command, const fs::path& messages) {
  std::vector<char*> arguments;
  for (const auto& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0)
    throw device_error("no C++ compiler: '" + command[0] +
                       "' cannot be started; install g++, or name one in CXX");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The first error line. It omits the directory, which is temporary.
std::string first_error(const fs::path& messages) {
  auto text = text_of_file(messages);
  const auto directory = messages.parent_path().string() + "/";
  for (auto at = text.find(directory); at != std::string::npos; at = text.find(directory, at))
    text.erase(at, directory.size());
  std::istringstream lines(text);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos) return line;
  }
  return first;
}

fs::path compiled(const description& about, const generation& how) {
  const auto files = shared_object_source(about, how);
  auto command = compiler_command();
  std::string content;
  for (const auto& word : command) content += word + " ";
  for (const auto& word : chosen_compiler()) content += "\n" + identity_of(word);
  for (const auto& [name, text] : files) content += "\n=== " + name + "\n" + text;
  return cached(content, "function.so", [&](const fs::path& directory) {
    for (const auto& [name, text] : files) write_text(directory / name, text);
    command.push_back("-o");
    command.push_back((directory / "function.so").string());
    command.push_back((directory / "entry.cpp").string());
    if (run_command(command, directory / "messages") != 0)
      throw device_error("the compiler '" + command[0] + "' failed on " + about.file + ": " +
                         first_error(directory / "messages"));
  });
}

}  // namespace

cpu_function::cpu_function(const description& about, const generation& how) {
  auto file = compiled(about, how);
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {  // damaged: compile it again
    fs::remove_all(file.parent_path());
    file = compiled(about, how);
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library_ == nullptr) throw device_error(file.string() + ": cannot be loaded: " + dlerror());
  entry_ = dlsym(library_, "macareu_call");
  if (entry_ == nullptr) throw device_error(file.string() + ": is not a compiled function");
}

cpu_function::~cpu_function() { dlclose(library_); }

void cpu_function::operator()(const call& given, cpu_engine where, const context& how,
                              result_bytes& result) const {
  std::vector<const void*> images;
  for (const auto* each : given.images) images.push_back(each->data());
  result.resize(result_size(given));
  std::array<char, 512> message{};
  const auto& shape = given.shape();
  const job work{.how = how, .report = {}};
  engine own{.work = work,
             .threads = cpu::threads_for(shape.pixels(), how.threads),
             .one_pass = given.about.kind != category::iwpp};
  const entry_call call{images.data(),
                        result.data(),
                        shape.depth(),
                        shape.height(),
                        shape.width(),
                        given.values.data(),
                        given.bins,
                        given.connectivity,
                        where == cpu_engine::serial ? 0 : own.threads,
                        engine::share,
                        &own,
                        message.data(),
                        static_cast<int>(message.size())};
  const auto entry = reinterpret_cast<int (*)(const entry_call*)>(entry_);
  const auto outcome = entry(&call);
  if (outcome == stopped) throw interrupted();
  if (outcome == failed) throw device_error(message.data());
}

}  // namespace macareu::converter
