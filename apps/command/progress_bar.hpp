// A progress bar on stderr, for work that takes more than a second.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <macareu/pieces.hpp>

namespace macareu::tool {

class progress_bar {
 public:
  /// Shows nothing unless stderr is a terminal.
  progress_bar(std::string label, bool quiet);
  /// Wipes the bar.
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// For context.progress; empty if nothing would be shown.
  std::function<void(double)> callback();
  /// For piece_options.progress: pieces, rate and time left instead of a bar.
  std::function<void(const piece_progress&)> piece_callback();

 private:
  using clock = std::chrono::steady_clock;
  void show(double fraction);
  void show(const piece_progress& now);
  /// Whether it is time for another line.
  bool is_due();

  std::string label_;
  bool wanted_;
  bool shown_ = false;
  clock::time_point next_ = clock::now() + std::chrono::seconds(1);
};

}  // namespace macareu::tool
