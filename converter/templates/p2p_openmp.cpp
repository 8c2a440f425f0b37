namespace openmp {

/// Pixels do not depend on each other: every thread takes a range of them.
void run(const job& work) {
  const long long count = work.size.pixels();
#pragma omp parallel for schedule(static)
  for (long long i = 0; i < count; ++i) {
    rule::pixel_type pixel[rule::inputs];
    for (int k = 0; k < rule::inputs; ++k) pixel[k] = work.images[k][i];
    work.result[i] = rule::apply(pixel, i, work.given);
  }
}

}  // namespace openmp
