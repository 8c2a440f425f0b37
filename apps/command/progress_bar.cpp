#include "progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace macareu::tool {

progress_bar::progress_bar(std::string label, bool quiet)
    : label_(std::move(label)), wanted_(!quiet && isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

std::function<void(double)> progress_bar::callback() {
  if (!wanted_) return {};
  return [this](double fraction) { show(fraction); };
}

std::function<void(const piece_progress&)> progress_bar::piece_callback() {
  if (!wanted_) return {};
  return [this](const piece_progress& now) { show(now); };
}

bool progress_bar::is_due() {
  if (clock::now() < next_) return false;
  next_ = clock::now() + std::chrono::milliseconds(100);
  return shown_ = true;
}

void progress_bar::show(const piece_progress& now) {
  if (!is_due()) return;
  std::fprintf(stderr, "\r%s: pass %lld, piece %lld of %lld, %.0f million pixels/s, %.0f s left\x1b[K",
               label_.c_str(), static_cast<long long>(now.pass), static_cast<long long>(now.done),
               static_cast<long long>(now.pieces), now.pixels_per_second / 1e6, now.seconds_left);
  std::fflush(stderr);
}

void progress_bar::show(double fraction) {
  if (!is_due()) return;
  constexpr int width = 40;
  const auto done = std::clamp(fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::lround(done * width));
  std::fprintf(stderr, "\r%s [%s%s] %3.0f %%\x1b[K", label_.c_str(), std::string(filled, '#').c_str(),
               std::string(width - filled, '.').c_str(), 100 * done);
  std::fflush(stderr);
}

}  // namespace macareu::tool
