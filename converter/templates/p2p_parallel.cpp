namespace parallel {
namespace {

/// Computes pixels `begin` to before `end`.
void compute(const job& work, long long begin, long long end) {
  for (long long i = begin; i < end; ++i) {
    rule::pixel_type pixel[rule::inputs];
    for (int k = 0; k < rule::inputs; ++k) pixel[k] = work.images[k][i];
    work.result[i] = rule::apply(pixel, i, work.given);
  }
}

}  // namespace

/// Pixels are independent: every thread takes pieces of the image.
template <class Threads>
void run(const Threads& threads, const job& work) {
  constexpr long long piece = 65536;
  const long long count = work.size.pixels();
  threads((count + piece - 1) / piece,
          [&](int, long long unit) { compute(work, unit * piece, std::min((unit + 1) * piece, count)); });
}

}  // namespace parallel
