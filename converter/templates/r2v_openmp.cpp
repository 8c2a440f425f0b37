namespace openmp {

/// Every thread counts into a vector of its own, so no write is shared; the vectors are added at the end.
void run(const job& work) {
  const long long count = work.size.pixels();
  std::fill_n(work.result, work.bins, rule::result_type{0});
#pragma omp parallel
  {
    std::vector<rule::result_type> own(static_cast<std::size_t>(work.bins));
#pragma omp for schedule(static)
    for (long long i = 0; i < count; ++i) rule::count(work.images[0][i], own.data(), work.bins, work.given);
#pragma omp critical
    for (int i = 0; i < work.bins; ++i) work.result[i] += own[static_cast<std::size_t>(i)];
  }
}

}  // namespace openmp
