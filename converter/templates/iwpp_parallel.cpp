namespace parallel {
namespace {

/// Consecutive rows (slices in volumes) that one thread writes. The rims are copies, taken while no thread
/// writes, so there are no races.
class strip {
 public:
  strip(const job& work, long long begin, long long end)
      : work_(work), size_(work.size), around_(rule::neighbours(work.connectivity)) {
    const bool flat = size_.depth == 1;
    line_ = flat ? size_.width : size_.height * size_.width;
    lines_ = flat ? size_.height : size_.depth;
    first_row_ = flat ? begin : begin * size_.height;
    last_row_ = (flat ? end : end * size_.height) - 1;
    for (int n = 0; n < around_.count; ++n) {
      const auto& step = around_.steps[n];
      offsets_[n] = (step.z * size_.height + step.y) * size_.width + step.x;
    }
    begin_ = begin * line_;
    end_ = end * line_;
  }

  void copy_rims() {
    if (begin_ > 0) before_.assign(work_.result + begin_ - line_, work_.result + begin_);
    if (end_ < lines_ * line_) behind_.assign(work_.result + end_, work_.result + end_ + line_);
  }

  /// Starts from the marker: raster and anti-raster sweeps by rows, then propagation by pixels.
  void settle() {
    waiting_.clear();
    for (long long row = first_row_; row <= last_row_; ++row) sweep(row, 0, around_.count / 2, 1);
    for (long long row = last_row_; row >= first_row_; --row)
      sweep(row, around_.count / 2, around_.count, -1);
    for (long long row = first_row_; row <= last_row_; ++row) find_waiting(row);
    spread();
  }

  /// Takes improvements from the rims of the neighbouring strips.
  void look_around() {
    const long long rows = line_ / size_.width;
    for (long long row = first_row_; row < first_row_ + rows; ++row) find_waiting(row);
    for (long long row = std::max(first_row_ + rows, last_row_ - rows + 1); row <= last_row_; ++row)
      find_waiting(row);
  }

  /// Number of queued pixels.
  long long waiting() const { return static_cast<long long>(waiting_.size()); }

  /// Continues from the queue. Sweeping rows is faster for a wide front. It is done once, because wide fronts
  /// may recur.
  void settle_again() {
    const bool wide = 2 * static_cast<long long>(waiting_.size()) > line_ && !swept_again_;
    swept_again_ = swept_again_ || wide;
    wide ? settle() : spread();
  }

  /// Propagates the queues of all strips from here.
  void settle_for(std::vector<strip>& others) {
    for (auto& each : others) waiting_.insert(waiting_.end(), each.waiting_.begin(), each.waiting_.end());
    spread();
  }

 private:
  struct place {
    long long x, row;
  };

  /// The row at this step from another one; null outside the image.
  const rule::pixel_type* row_at(long long row, const rule::step& step) const {
    const long long y = row % size_.height + step.y, z = row / size_.height + step.z;
    if (y < 0 || y >= size_.height || z < 0 || z >= size_.depth) return nullptr;
    const long long start = (z * size_.height + y) * size_.width;
    if (start < begin_) return before_.data() + start - (begin_ - line_);
    if (start >= end_) return behind_.data() + start - end_;
    return work_.result + start;
  }

  /// Applies the offers of neighbours `from` to before `to`. Other rows are processed as a whole; neighbours
  /// within the row one after the other, in the sweep's direction.
  void sweep(long long row, int from, int to, int direction) {
    auto* const state = work_.result + row * size_.width;
    const auto* const limit = work_.capacity + row * size_.width;
    for (int n = from; n < to; ++n) {
      const auto& step = around_.steps[n];
      if (step.y == 0 && step.z == 0) continue;
      if (const auto* other = row_at(row, step)) take(other + step.x, limit, state, step.x);
    }
    long long x = direction > 0 ? 0 : size_.width - 1;
    auto last = state[x];
    for (long long left = size_.width - 1; left > 0; --left) {
      x += direction;
      const auto offered = rule::offer(last, limit[x], work_.given);
      last = rule::better(offered, state[x], work_.given) ? offered : state[x];
      state[x] = last;
    }
  }

  /// One neighbour for every pixel of a row: the loop has no dependency.
  void take(const rule::pixel_type* other, const rule::capacity_type* limit, rule::pixel_type* state,
            int shift) const {
    const long long begin = shift < 0 ? 1 : 0, end = shift > 0 ? size_.width - 1 : size_.width;
    const auto given = work_.given;
    for (long long x = begin; x < end; ++x) {
      const auto offered = rule::offer(other[x], limit[x], given);
      state[x] = rule::better(offered, state[x], given) ? offered : state[x];
    }
  }

  /// Improves the pixels of a row and queues those that changed. Most pieces of a row do not change, so they
  /// are tested as a whole.
  void find_waiting(long long row) {
    constexpr long long piece = 64;
    for (long long x = 0; x < size_.width; x += piece) {
      const long long end = std::min(x + piece, size_.width);
      if (!any_better(row, x, end)) continue;
      for (long long i = x; i < end; ++i)
        if (improve(row, i)) waiting_.push_back({i, row});
    }
  }

  bool any_better(long long row, long long from, long long to) const {
    const auto* const state = work_.result + row * size_.width;
    const auto* const limit = work_.capacity + row * size_.width;
    const auto given = work_.given;
    bool any = false;
    for (int n = 0; n < around_.count && !any; ++n) {
      const int shift = around_.steps[n].x;
      const auto* other = row_at(row, around_.steps[n]);
      if (other == nullptr) continue;
      other += shift;
      const long long begin = std::max(from, shift < 0 ? 1LL : 0LL);
      const long long end = std::min(to, shift > 0 ? size_.width - 1 : size_.width);
      for (long long x = begin; x < end; ++x)
        any |= rule::better(rule::offer(other[x], limit[x], given), state[x], given);
    }
    return any;
  }

  /// Takes the best offer of all neighbours.
  bool improve(long long row, long long x) {
    auto& state = work_.result[row * size_.width + x];
    const auto limit = work_.capacity[row * size_.width + x];
    bool better = false;
    for (int n = 0; n < around_.count; ++n) {
      const long long i = x + around_.steps[n].x;
      const auto* other = i < 0 || i >= size_.width ? nullptr : row_at(row, around_.steps[n]);
      if (other == nullptr) continue;
      const auto offered = rule::offer(other[i], limit, work_.given);
      if (!rule::better(offered, state, work_.given)) continue;
      state = offered;
      better = true;
    }
    return better;
  }

  /// Propagates the queue, wave by wave, until the strip is stable.
  void spread() {
    while (!waiting_.empty()) {
      next_.clear();
      for (const auto& each : waiting_) offer_around(each);
      waiting_.swap(next_);
    }
  }

  void offer_around(const place& from) {
    const long long p = from.row * size_.width + from.x, z = from.row / size_.height,
                    y = from.row % size_.height;
    const auto state = work_.result[p];
    for (int n = 0; n < around_.count; ++n) {
      const auto& step = around_.steps[n];
      const long long x = from.x + step.x, j = y + step.y, k = z + step.z, q = p + offsets_[n];
      if (x < 0 || x >= size_.width || j < 0 || j >= size_.height || k < 0 || k >= size_.depth) continue;
      if (q < begin_ || q >= end_) continue;
      const auto offered = rule::offer(state, work_.capacity[q], work_.given);
      if (!rule::better(offered, work_.result[q], work_.given)) continue;
      work_.result[q] = offered;
      next_.push_back({x, k * size_.height + j});
    }
  }

  const job& work_;
  rule::extent size_;
  rule::neighbourhood around_;
  long long offsets_[26] = {};
  long long line_ = 0, lines_ = 0;  // pixels per row or slice, and the number of these in the image
  long long first_row_ = 0, last_row_ = 0, begin_ = 0, end_ = 0;
  std::vector<rule::pixel_type> before_, behind_;
  std::vector<place> waiting_, next_;
  bool swept_again_ = false;
};

}  // namespace

/// Each thread settles its strip. Then strips exchange rims until nothing changes.
template <class Threads>
void run(const Threads& threads, const job& work) {
  const auto& size = work.size;
  std::copy_n(work.images[0], size.pixels(), work.result);
  if (size.pixels() == 0) return;
  const long long lines = size.depth > 1 ? size.depth : size.height;
  const long long strips = std::min<long long>(lines, threads.count());
  std::vector<strip> all;
  for (long long s = 0; s < strips; ++s) all.emplace_back(work, lines * s / strips, lines * (s + 1) / strips);
  const auto each_strip = [&](auto act) {
    threads(strips, [&](int, long long s) { act(all[static_cast<std::size_t>(s)]); });
  };
  each_strip([](strip& own) { own.copy_rims(); });
  each_strip([](strip& own) { own.settle(); });
  constexpr long long few = 64;
  for (long long waiting = few; waiting >= few;) {
    each_strip([](strip& own) { own.copy_rims(); });
    each_strip([](strip& own) { own.look_around(); });
    waiting = 0;
    for (const auto& each : all) waiting += each.waiting();
    if (waiting >= few)
      each_strip([](strip& own) { own.settle_again(); });
    else  // too few for several threads, but the wave may cross all strips
      strip(work, 0, lines).settle_for(all);
  }
}

}  // namespace parallel
