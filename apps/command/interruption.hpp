// Ctrl-C and SIGTERM.
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace macareu::tool {

/// Outside a careful section a signal ends the program at once: there is nothing to clean up. Inside one it
/// sets the token, and code that polls the token throws `interrupted`. A second signal kills the program.
/// Ranks after the first one always set the token: the first one may have to clean up.
class interruption {
 public:
  /// Blocks these signals and stop_signal(), which always sets the token, for this thread and those that it
  /// starts.
  static void hold_signals();

  /// Starts a listener thread. Create it before any other thread, because threads inherit the signal mask.
  /// The object must live until the program ends. `words`: the verb and what follows it.
  explicit interruption(std::vector<std::string> words);
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  /// The command is over: signals that come now are ignored. Launchers send some when a rank has ended.
  void end();
  /// Requests a stop after this time, as a signal does.
  void stop_after(std::chrono::seconds time);

  /// The words of the command that may be interrupted: the verb and what follows it.
  const std::vector<std::string>& words() const { return words_; }

  std::stop_token token() const { return source_.get_token(); }
  /// Throws `interrupted` if a stop was requested.
  void check() const;

  class careful_section {
   public:
    explicit careful_section(interruption& of) : of_(of) { of_.be_careful(true); }
    ~careful_section() { of_.be_careful(false); }
    careful_section(const careful_section&) = delete;
    careful_section& operator=(const careful_section&) = delete;

   private:
    interruption& of_;
  };

 private:
  void listen();
  void be_careful(bool now) {
    const std::lock_guard lock(deciding_);
    careful_ = now;
  }

  std::vector<std::string> words_;
  std::stop_source source_;
  std::mutex deciding_;  // held while a signal ends the program, so that no section begins
  bool careful_ = false, over_ = false;
};

}  // namespace macareu::tool
