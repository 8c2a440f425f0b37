namespace openmp {
namespace {

/// Chunks are joined by any thread; the order within and between them is fixed.
template <class T, class Value>
T joined(const Value* values, long long count, const rule::parameters& given) {
  const long long chunks = (count + rule::chunk - 1) / rule::chunk;
  std::vector<T> parts(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(static)
  for (long long i = 0; i < chunks; ++i) {
    const long long begin = i * rule::chunk;
    parts[static_cast<std::size_t>(i)] =
        rule::join_chunk<T>(values + begin, std::min<long long>(rule::chunk, count - begin), given);
  }
  return chunks == 1 ? parts[0] : joined<T>(parts.data(), chunks, given);
}

}  // namespace

template <class T>
T run(const job& work) {
  return joined<T>(work.images[0], work.size.pixels(), work.given);
}

@INSTANCES@
}  // namespace openmp
