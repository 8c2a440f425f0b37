// Ranks that a launcher started, through the module of its MPI.
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/module.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "mpi/mpi_module.hpp"

namespace macareu {
namespace {

struct launch {
  const char* module;
  int processes;
};

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text && *text ? std::optional(std::atoi(text)) : std::nullopt;
}

/// What the variables of launchers say.
std::optional<launch> found_launch() {
  constexpr auto openmpi = "openmpi", mpich = "mpich";
  if (const auto size = number_in("OMPI_COMM_WORLD_SIZE")) return launch{openmpi, *size};
  if (const auto size = number_in("PMI_SIZE")) return launch{mpich, *size};
  // srun counts the tasks of its step, and names a protocol unless it was started with --mpi=none.
  const auto size = number_in("SLURM_STEP_NUM_TASKS");
  if (!size || !std::getenv("SLURM_PROCID")) return std::nullopt;
  const bool has_openmpi = std::getenv("PMIX_RANK") || !has_module(mpich);
  return has_openmpi ? launch{openmpi, *size} : launch{mpich, *size};
}

class mpi_ranks final : public ranks {
 public:
  explicit mpi_ranks(const mpi::mpi_module& module, const mpi::mpi_world& world)
      : module_(module), world_(world) {}
  ~mpi_ranks() override { module_.end(); }

  int rank() const override { return world_.rank; }
  int size() const override { return world_.size; }
  int local_rank() const override { return world_.local_rank; }
  int local_size() const override { return world_.local_size; }
  std::string host() const override { return world_.host; }

 protected:
  void send(int to, std::string_view bytes) override {
    module_.send(to, bytes.data(), static_cast<std::int64_t>(bytes.size()));
  }
  std::string receive(int from) override {
    std::string bytes(static_cast<std::size_t>(module_.expect(from)), '\0');
    module_.receive(from, bytes.data(), static_cast<std::int64_t>(bytes.size()));
    return bytes;
  }

 private:
  const mpi::mpi_module& module_;
  mpi::mpi_world world_;
};

}  // namespace

std::unique_ptr<ranks> launched_ranks() {
  const auto found = found_launch();
  if (!found || found->processes <= 1) return nullptr;
  const auto name = std::string(found->module);
  const auto& module = *static_cast<const mpi::mpi_module*>(load_module(
      name, ("macareu_" + name + "_module").c_str(), mpi::mpi_interface,
      {"install the MPI that started this program", name == "openmpi"
                                                        ? "install libopenmpi-dev and build Macareu again"
                                                        : "install libmpich-dev and build Macareu again"}));
  mpi::mpi_world world;
  if (!module.start(&world)) throw io_error(name + " cannot be initialised");
  auto all = std::make_unique<mpi_ranks>(module, world);
  if (world.size == found->processes) return all;
  throw usage_error(
      "the launcher started " + std::to_string(found->processes) + " processes, but " + name + " knows of " +
      std::to_string(world.size) +
      ": start them with its own mpirun, or with srun --mpi=" + (name == "openmpi" ? "pmix" : "pmi2"));
}

int share_of_threads(ranks& all) {
  cpu_set_t allowed;
  std::memset(&allowed, 0, sizeof allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  const auto own = all.host() + ' ' + std::string(reinterpret_cast<const char*>(&allowed), sizeof allowed);
  const auto everywhere = all.gather(own);
  const auto sharing = std::max(1, static_cast<int>(std::ranges::count(everywhere, own)));
  // OMP_NUM_THREADS is the number of one process.
  return number_in("OMP_NUM_THREADS") ? cpu::available_threads()
                                      : std::max(1, cpu::available_threads() / sharing);
}

}  // namespace macareu
