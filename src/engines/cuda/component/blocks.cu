#include "engines/cuda/component/blocks.cuh"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/component/block_times.hpp"
#include "engines/cuda/component/rim_exchange.hpp"
#include "engines/cuda/component/workers.cuh"
#include "engines/cuda/runtime/presence.hpp"
#include "engines/cuda/runtime/residence.cuh"
#include "patterns/component_rims.hpp"

namespace macareu::cuda::labels {
namespace {

bool in_host_memory(const pixel_slices& image) {
  const auto kind = place_of(image.pixels.data).kind;
  return kind == memory_kind::host || kind == memory_kind::pinned;
}

/// Bytes of a device copy of the slices, as an upper bound: images in device memory need no copy.
std::int64_t most_copy_bytes(const pixel_slices& image, std::int64_t slices) {
  const auto part = image.part(0, slices);
  return part.depth * part.height * padded_width(part.width) * part.size;
}
std::int64_t copy_bytes(const pixel_slices& image, std::int64_t slices) {
  return in_host_memory(image) ? most_copy_bytes(image, slices) : 0;
}
/// Device memory of a block besides copies. A rim's numbers exist in the first round only. The second round
/// holds the moved numbers and their targets: at most one for every pixel of both rims.
std::int64_t own_bytes(const block_task& task, std::int64_t slices) {
  constexpr std::int64_t moved_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  return bytes_for(task.shape(slices)) + 2 * task.image.part(0, 1).pixels() * moved_bytes;
}

template <class T>
view<T> typed(const host_pixels& pixels) {
  return {reinterpret_cast<T*>(pixels.data),
          pixels.depth,
          pixels.height,
          pixels.width,
          pixels.step_z,
          pixels.step_y,
          pixels.step_x};
}

/// A worker's device memory for the slices of one block.
class block_room {
 public:
  block_room(const gpu& on, const pixel_slices& whole, std::int64_t slices)
      : on_(on), whole_(whole), memory_(on, copy_bytes(whole, slices)) {
    const auto part = whole.part(0, slices);
    if (memory_.data())  // transfers include the padding
      clear_padding(on, memory_.data(), part.depth * part.height, part.width, part.size);
  }

  host_pixels on_device(std::int64_t first, std::int64_t slices) const {
    auto part = whole_.part(first, slices);
    if (!memory_.data()) return part;
    part.data = memory_.data();
    part.step_x = 1;
    part.step_y = padded_width(part.width);
    part.step_z = part.height * part.step_y;
    return part;
  }
  void bring(std::int64_t first, std::int64_t slices) const {
    if (memory_.data()) upload(on_.work, whole_.part(first, slices), rows(), on_.stream);
  }
  void bring_back(std::int64_t first, std::int64_t slices) const {
    if (memory_.data()) download(on_.work, rows(), whole_.part(first, slices), on_.stream);
  }

 private:
  device_rows rows() const { return {memory_.data(), padded_width(whole_.pixels.width)}; }

  const gpu& on_;
  pixel_slices whole_;
  device_array<std::byte> memory_;
};

template <class Value>
device_array<Value> copied(const gpu& on, const std::vector<Value>& values) {
  device_array<Value> there(on, static_cast<std::int64_t>(values.size()));
  if (!values.empty())
    check(cudaMemcpyAsync(there.data(), values.data(), values.size() * sizeof(Value), cudaMemcpyHostToDevice,
                          on.stream),
          "cudaMemcpyAsync");
  return there;
}

/// A block that a worker solves in the first round and writes in the second.
struct solved_block {
  std::size_t number;
  device_array<std::uint64_t> bits;  // empty unless the plan keeps bits
};

class block_run : public two_rounds {
 public:
  block_run(const block_task& task, const block_plan& plan)
      : task_(task),
        plan_(plan),
        to_solve_(plan.count()),
        rims_(plan.count(), static_cast<std::size_t>(task.image.part(0, 1).pixels())) {}

  void work(const gpu& on, const std::function<void()>& meet) override {
    std::vector<solved_block> solved;
    const block_room pixels(on, task_.image, plan_.seen(0));
    first(on, pixels, solved);
    meet();
    second(on, pixels, solved);
  }

  /// Runs between the rounds.
  std::uint64_t merge(const host_threads& threads) {
    merging_.during([&] { merged_ = merge_rims(rims_.residues(), threads); });
    return merged_.count;
  }

  void close() override {
    to_solve_.close();
    closed_ = true;
  }

  block_times times() const { return {transfers_.seconds(), kernels_.seconds(), merging_.seconds()}; }

 private:
  void first(const gpu& on, const block_room& pixels, std::vector<solved_block>& solved) {
    const device_array<std::uint32_t> rim(on, task_.image.part(0, 1).pixels());
    while (const auto b = to_solve_.draw()) {
      on.work.check_stop();
      labelling block(on, task_.shape(plan_.seen(*b)));
      auto& own = solved.emplace_back(solved_block{*b, {}});
      bring(pixels, *b);
      kernels_.during([&] {
        read(block, pixels, *b);
        if (plan_.keeps_bits) {
          own.bits = device_array<std::uint64_t>(on, bits_of(task_.shape(plan_.seen(*b))) / 8);
          block.keep_bits(own.bits.data());
        }
        block.solve(plan_.own(*b));
        rims_.set_objects(*b, labelling::counts(on).own);
      });
      // Workers already run in parallel, so each uses more threads only if the caller asked for them.
      const host_threads threads{std::max(1, on.work.how.threads), &cpu::parallel};
      if (!plan_.is_last(*b)) {
        auto in_next = rim_numbers(on, block, rim, plan_.own(*b));
        merging_.during([&] { rims_.give_next(*b, std::move(in_next), threads); });
      }
      if (*b > 0) {
        auto in_first = rim_numbers(on, block, rim, 0);
        merging_.during([&] { rims_.give_first(*b, std::move(in_first), threads); });
      }
    }
  }

  void second(const gpu& on, const block_room& pixels, const std::vector<solved_block>& solved) {
    const block_room labels(on, task_.labels, plan_.own(0));
    for (const auto& [b, bits] : solved) {
      if (closed_) return;
      on.work.check_stop();
      labelling block(on, task_.shape(plan_.seen(b)));
      if (!bits.data()) bring(pixels, b);
      kernels_.during([&] {
        if (bits.data())
          block.take_bits(bits.data());
        else
          read(block, pixels, b);
        block.solve(plan_.own(b));
        write(on, block, labels, b);
        on.synchronize("label: block");
      });
      transfers_.during([&] { labels.bring_back(plan_.first(b), plan_.own(b)); });
    }
  }

  row_window window(std::int64_t first, std::int64_t slices) const {
    const int begin = static_cast<int>(first), end = static_cast<int>(first + slices);
    if (task_.image.volume) return {0, static_cast<int>(task_.image.pixels.height), begin, end};
    return {begin, end, 0, 1};
  }

  void bring(const block_room& pixels, std::size_t b) {
    transfers_.during([&] { pixels.bring(plan_.first(b), plan_.seen(b)); });
  }

  void read(labelling& block, const block_room& pixels, std::size_t b) const {
    task_.read(block, pixels.on_device(plan_.first(b), plan_.seen(b)));
  }

  void write(const gpu& on, const labelling& block, const block_room& labels, std::size_t b) const {
    const auto& answer = merged_.blocks[b];
    const auto moved = copied(on, answer.moved);
    const auto target = copied(on, answer.target);
    const renumbering numbers{answer.before, moved.data(), target.data(),
                              static_cast<std::uint32_t>(answer.moved.size())};
    const auto out = labels.on_device(plan_.first(b), plan_.own(b));
    if (out.size == sizeof(std::uint64_t))
      block.write(typed<std::uint64_t>(out), window(0, plan_.own(b)), numbers);
    else
      block.write(typed<std::uint32_t>(out), window(0, plan_.own(b)), numbers);
  }

  rim_exchange::numbers rim_numbers(const gpu& on, const labelling& block,
                                    const device_array<std::uint32_t>& rim, std::int64_t slice) {
    const auto like = task_.image.part(0, 1);
    view<std::uint32_t> numbers{rim.data(), like.depth, like.height, like.width, like.height * like.width,
                                like.width, 1};
    kernels_.during([&] {
      block.write(numbers, window(slice, 1));
      on.synchronize("label: rim");
    });
    auto here = rims_.take_memory();
    numbers.data = here.data();
    transfers_.during([&] {
      download(on.work, {reinterpret_cast<std::byte*>(rim.data()), like.width}, host_pixels_of(numbers),
               on.stream);
    });
    return here;
  }

  const block_task& task_;
  const block_plan& plan_;
  block_queue to_solve_;
  std::atomic<bool> closed_{false};
  rim_exchange rims_;
  merged_blocks merged_;
  busy_clock transfers_, kernels_, merging_;
};

}  // namespace

block_times& last_block_times() {
  static thread_local block_times last;
  return last;
}

std::int64_t bytes_for(const block_task& task, std::int64_t slices) {
  return copy_bytes(task.image, slices) + copy_bytes(task.labels, slices) + own_bytes(task, slices);
}

std::int64_t room_for(const gpu& on) {
  return on.work.how.gpu_memory > 0 ? on.work.how.gpu_memory : free_memory(on.number) / 10 * 9;
}

/// Querying free memory takes longer than labelling a small image, so a task that needs at most a quarter of
/// the GPU skips the query. Querying where the images lie is slow too, so this test assumes copies.
std::vector<int> pool_for(const gpu& on, const block_task& task, std::int64_t block_slices) {
  const auto named = gpus_named(on.work.how.device);
  if (named.size() > 1) return named;
  if (block_slices > 0) return {on.number};
  const auto slices = task.image.count();
  if (fits_ids(task.shape(slices))) {
    const auto most =
        most_copy_bytes(task.image, slices) + most_copy_bytes(task.labels, slices) + own_bytes(task, slices);
    const auto& here = gpus_here().gpus[static_cast<std::size_t>(on.number)];
    if (on.work.how.gpu_memory == 0 && most <= here.memory / 4) return {};
    if (bytes_for(task, slices) <= room_for(on)) return {};
  }
  return {on.number};
}

block_plan plan_for(const block_task& task, const std::vector<int>& gpus, std::int64_t room,
                    std::int64_t block_slices) {
  std::int64_t sharing = 1;
  for (const int gpu : gpus) sharing = std::max<std::int64_t>(sharing, std::ranges::count(gpus, gpu));
  sharing *= streams_per_gpu;
  const auto workers = static_cast<int>(gpus.size()) * streams_per_gpu;
  const auto slices = task.image.count();
  const auto wanted = block_slices > 0 ? block_slices : thickness_for(slices, workers);
  const auto within = [&](std::int64_t memory) {
    return plan_blocks(slices, wanted, [&](std::int64_t seen) {
      return fits_ids(task.shape(seen)) && bytes_for(task, seen) <= memory / sharing;
    });
  };
  // Blocks overlap by a slice, so together they hold up to twice the bits of the image.
  const auto bits = 2 * slices * bits_of(task.shape(1));
  if (in_host_memory(task.image) && bits <= room / 4)
    if (auto plan = within(room - bits); plan.thickness > 0) {
      plan.keeps_bits = true;
      return plan;
    }
  const auto plan = within(room);
  if (plan.thickness == 0)
    throw device_error("cuda: a block of one slice needs " + std::to_string(bytes_for(task, 2) >> 20) +
                       " MiB, but " + std::to_string((room / sharing) >> 20) + " MiB are left for each of " +
                       std::to_string(sharing) + " streams; give more memory or use the cpu device");
  return plan;
}

std::uint64_t run_blocks(const gpu& on, const block_task& task, const std::vector<int>& gpus,
                         const block_plan& plan) {
  on.synchronize("cudaStreamSynchronize");  // other streams read what the caller's stream still writes
  block_run blocks(task, plan);
  workers all(on.work, gpus, blocks);
  all.wait_for_first();
  const auto count = blocks.merge(cpu::lend_threads(task.image.pixels.pixels(), on.work.how.threads));
  on.work.results_touched = true;
  all.do_second();
  last_block_times() = blocks.times();
  on.work.report.transfer_seconds += blocks.times().transfers;
  return count;
}

}  // namespace macareu::cuda::labels
