namespace parallel {
namespace {

/// Any thread may join a chunk; the order within and between chunks is fixed.
template <class T, class Threads, class Value>
T joined(const Threads& threads, const Value* values, long long count, const rule::parameters& given) {
  constexpr long long piece = 16;  // chunks per unit of work
  const long long chunks = (count + rule::chunk - 1) / rule::chunk;
  std::vector<T> parts(static_cast<std::size_t>(chunks));
  threads((chunks + piece - 1) / piece, [&](int, long long unit) {
    for (long long i = unit * piece; i < std::min((unit + 1) * piece, chunks); ++i) {
      const long long begin = i * rule::chunk;
      parts[static_cast<std::size_t>(i)] =
          rule::join_chunk<T>(values + begin, std::min<long long>(rule::chunk, count - begin), given);
    }
  });
  return chunks == 1 ? parts[0] : joined<T>(threads, parts.data(), chunks, given);
}

}  // namespace

template <class T, class Threads>
T run(const Threads& threads, const job& work) {
  return joined<T>(threads, work.images[0], work.size.pixels(), work.given);
}

}  // namespace parallel
