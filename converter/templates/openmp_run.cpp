
namespace openmp {
namespace {

/// Distributes work over the threads of OpenMP.
struct all_threads {
  int count() const { return omp_get_max_threads(); }

  /// act(thread, unit) for every unit.
  template <class Act>
  void operator()(long long units, Act act) const {
#pragma omp parallel for schedule(static)
    for (long long unit = 0; unit < units; ++unit) act(omp_get_thread_num(), unit);
  }
};

}  // namespace

@OPENMP_RUN@
}  // namespace openmp
