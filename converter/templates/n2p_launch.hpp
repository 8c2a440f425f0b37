/// The pixels of one step of a thread, the part of the image that their windows cover, and the most steps.
struct strip_step {
  long long across, down, seen_width, seen_height, most_steps;
};

/// Launch configuration.
struct n2p_launch {
  static constexpr int threads_x = 32, threads_y = 4;
  unsigned blocks_x, blocks_y, blocks_z;
  int rows;           // rows per thread
  int blocks_around;  // along y, for the border around the strips
};

inline n2p_launch launch_of(const rule::extent& size, const strip_step& step) {
  constexpr long long most_blocks = 32768;  // along y, for strips and border
  constexpr long long most_slices = 65535;
  const auto parts = [](long long all, long long each) { return (all + each - 1) / each; };
  const auto lesser = [](long long a, long long b) { return a < b ? a : b; };
  const auto greater = [](long long a, long long b) { return a > b ? a : b; };
  // In large images a thread computes many rows and reuses loads. Small images need more threads.
  const long long steps = parts(size.width, step.across) * parts(size.height, step.down) * size.depth;
  const long long taken = lesser(greater(steps >> 19, 1), step.most_steps);
  const long long rows = greater(step.down * taken, parts(size.height, most_blocks * n2p_launch::threads_y));
  const long long blocks_across = parts(size.width, n2p_launch::threads_x * step.across);
  const long long pixels_around =
      size.width * step.seen_height + size.height * (step.seen_width + step.across);
  const long long blocks_around = lesser(parts(pixels_around, 512 * blocks_across), most_blocks - 1);
  n2p_launch launch{};
  launch.blocks_x = static_cast<unsigned>(blocks_across);
  launch.blocks_y = static_cast<unsigned>(blocks_around + parts(size.height, n2p_launch::threads_y * rows));
  launch.blocks_z = static_cast<unsigned>(lesser(size.depth, most_slices));
  launch.rows = static_cast<int>(rows);
  launch.blocks_around = static_cast<int>(blocks_around);
  return launch;
}

