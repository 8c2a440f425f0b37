/// Launch configuration.
struct r2v_launch {
  static constexpr int threads = 256;
  unsigned blocks;
  int copies;  // of the vector in a block's shared memory; 0 if it does not fit
  unsigned shared_bytes;
};

inline r2v_launch launch_of(long long pixels, long long vector_bytes) {
  constexpr long long shared_memory = 32 * 1024, most_blocks = 2048, most_copies = r2v_launch::threads / 32;
  constexpr long long pixels_of_a_block = r2v_launch::threads * 16;
  const long long blocks = (pixels + pixels_of_a_block - 1) / pixels_of_a_block;
  const long long fitting = vector_bytes == 0 ? 0 : shared_memory / vector_bytes;
  r2v_launch launch{};
  launch.blocks = static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
  launch.copies = static_cast<int>(fitting < most_copies ? fitting : most_copies);
  launch.shared_bytes = static_cast<unsigned>(launch.copies * vector_bytes);
  return launch;
}

