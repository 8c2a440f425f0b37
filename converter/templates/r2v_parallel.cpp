namespace parallel {

/// Every thread counts into its own vector; the vectors are added at the end.
template <class Threads>
void run(const Threads& threads, const job& work) {
  constexpr long long piece = 65536;
  const long long count = work.size.pixels();
  std::vector<std::vector<rule::result_type>> vectors(static_cast<std::size_t>(threads.count()));
  // Allocated here, because no exception may leave a thread. The gap prevents false sharing.
  for (auto& each : vectors) each.reserve(static_cast<std::size_t>(work.bins) + 64);
  threads((count + piece - 1) / piece, [&](int thread, long long unit) {
    auto& vector = vectors[static_cast<std::size_t>(thread)];
    vector.resize(static_cast<std::size_t>(work.bins));
    auto* const own = vector.data();
    const long long end = std::min((unit + 1) * piece, count);
    for (long long i = unit * piece; i < end; ++i) rule::count(work.images[0][i], own, work.bins, work.given);
  });
  std::fill_n(work.result, work.bins, rule::result_type{0});
  for (const auto& vector : vectors)
    for (std::size_t i = 0; i < vector.size(); ++i) work.result[i] += vector[i];
}

}  // namespace parallel
