namespace openmp {
namespace {

/// Consecutive rows (slices in volumes) that one thread writes. What lies before and behind is a copy, taken while
/// nobody writes, so threads never read what another one is writing.
class strip {
 public:
  strip(const job& work, long long begin, long long end)
      : work_(work), around_(rule::neighbours(work.connectivity)), begin_(begin), end_(end) {
    const auto& size = work.size;
    line_ = size.depth > 1 ? size.height * size.width : size.width;
    lines_ = size.depth > 1 ? size.depth : size.height;
  }

  void copy_rims() {
    const auto copy = [&](std::vector<rule::pixel_type>& rim, long long line) {
      if (line >= 0 && line < lines_) rim.assign(work_.result + line * line_, work_.result + (line + 1) * line_);
    };
    copy(before_, begin_ - 1);
    copy(behind_, end_);
  }

  /// Whether anything changed.
  bool settle(bool first_time) {
    changed_ = false;
    if (first_time) {
      for (long long q = begin_ * line_; q < end_ * line_; ++q) improve(q);
      for (long long q = end_ * line_ - 1; q >= begin_ * line_; --q) improve(q);
      for (long long q = begin_ * line_; q < end_ * line_; ++q)
        if (improve(q)) waiting_.push_back(q);
    } else {
      for (const long long line : {begin_, end_ - 1})
        for (long long q = line * line_; q < (line + 1) * line_; ++q)
          if (improve(q)) waiting_.push_back(q);
    }
    while (!waiting_.empty()) {
      const long long p = waiting_.front();
      waiting_.pop_front();
      each_neighbour(p, [&](long long q) {
        if (q >= begin_ * line_ && q < end_ * line_ && improve(q)) waiting_.push_back(q);
      });
    }
    return changed_;
  }

 private:
  /// Takes the best offer of all neighbours of q.
  bool improve(long long q) {
    bool better = false;
    each_neighbour(q, [&](long long p) {
      const auto offered = rule::offer(state(p), work_.capacity[q], work_.given);
      if (!rule::better(offered, work_.result[q], work_.given)) return;
      work_.result[q] = offered;
      better = true;
    });
    changed_ = changed_ || better;
    return better;
  }

  rule::pixel_type state(long long p) const {
    if (p < begin_ * line_) return before_[static_cast<std::size_t>(p - (begin_ - 1) * line_)];
    if (p >= end_ * line_) return behind_[static_cast<std::size_t>(p - end_ * line_)];
    return work_.result[p];
  }

  template <class Visit>
  void each_neighbour(long long p, Visit&& visit) const {
    const auto& size = work_.size;
    const long long x = p % size.width, y = p / size.width % size.height, z = p / size.width / size.height;
    for (int n = 0; n < around_.count; ++n) {
      const long long i = x + around_.steps[n].x, j = y + around_.steps[n].y, k = z + around_.steps[n].z;
      if (i < 0 || j < 0 || k < 0 || i >= size.width || j >= size.height || k >= size.depth) continue;
      visit((k * size.height + j) * size.width + i);
    }
  }

  const job& work_;
  rule::neighbourhood around_;
  long long begin_, end_, line_ = 0, lines_ = 0;
  std::vector<rule::pixel_type> before_, behind_;
  std::deque<long long> waiting_;
  bool changed_ = false;
};

}  // namespace

/// Each thread settles its strip; then strips look at each other's rims, until nothing changes.
void run(const job& work) {
  const auto& size = work.size;
  std::copy_n(work.images[0], size.pixels(), work.result);
  if (size.pixels() == 0) return;
  const long long lines = size.depth > 1 ? size.depth : size.height;
  const long long strips = std::min<long long>(lines, omp_get_max_threads());
  std::vector<strip> all;
  for (long long s = 0; s < strips; ++s) all.emplace_back(work, lines * s / strips, lines * (s + 1) / strips);
  bool first_time = true, changed = true;
  while (changed) {
    changed = false;
#pragma omp parallel for
    for (long long s = 0; s < strips; ++s) all[static_cast<std::size_t>(s)].copy_rims();
#pragma omp parallel for reduction(|| : changed)
    for (long long s = 0; s < strips; ++s)
      changed = all[static_cast<std::size_t>(s)].settle(first_time) || changed;
    first_time = false;
  }
}

}  // namespace openmp
