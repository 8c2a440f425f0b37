// Operators in pieces that several ranks share.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "conformance/in_pieces.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t images_per_connectivity = 8;

/// Memory that all ranks write to, and which of its pixels they have written.
class common_output {
 public:
  explicit common_output(const image_view& to)
      : sink_(sink_to(to)), shape_(to.shape()), writes_(static_cast<std::size_t>(shape_.pixels())) {}

  void write(const image_region& to, const void* from) {
    const std::lock_guard lock(guard_);
    sink_->write(to, from);
    over_pixels(to, [](int& writes) { ++writes; });
  }
  bool was_written(const image_region& region) {
    const std::lock_guard lock(guard_);
    bool all = true;
    over_pixels(region, [&](const int& writes) { all = all && writes > 0; });
    return all;
  }
  bool is_complete() const {
    return std::ranges::all_of(writes_, [](int writes) { return writes == 1; });
  }

 private:
  template <class Visit>
  void over_pixels(const image_region& in, const Visit& visit) {
    for (auto z = in.first[0]; z < in.first[0] + in.size[0]; ++z)
      for (auto y = in.first[1]; y < in.first[1] + in.size[1]; ++y)
        for (auto x = in.first[2]; x < in.first[2] + in.size[2]; ++x)
          visit(writes_[static_cast<std::size_t>((z * shape_.height() + y) * shape_.width() + x)]);
  }

  std::mutex guard_;
  std::unique_ptr<image_sink> sink_;
  extents shape_;
  std::vector<int> writes_;
};

/// That of one rank.
class common_sink : public image_sink {
 public:
  explicit common_sink(common_output& to) : to_(to) {}
  void write(const image_region& to, const void* from) override { to_.write(to, from); }
  void commit() override {}
  bool was_written(const image_region& region) override { return to_.was_written(region); }

 private:
  common_output& to_;
};

/// Takes work files as chunks, but for some that it has to be given as pixels.
class linking_sink final : public common_sink {
 public:
  linking_sink(common_output& to, const image_view& form, std::atomic<std::int64_t>& linked)
      : common_sink(to), bytes_(static_cast<std::int64_t>(size_of(form.type()))), linked_(linked) {
    const std::array whole{form.shape().depth(), form.shape().height(), form.shape().width()};
    for (std::size_t axis = 0; axis < 3; ++axis)
      chunk_[axis] = std::clamp<std::int64_t>(whole[axis], 1, std::array{2, 5, 7}[axis]);
  }
  std::array<std::int64_t, 3> chunk() const override { return chunk_; }
  bool has_chunk_files() const override { return true; }
  bool link_chunk(const image_region& chunk, const std::filesystem::path& file) override {
    if ((chunk.first[0] / chunk_[0] + chunk.first[1] / chunk_[1] + chunk.first[2] / chunk_[2]) % 3 == 2)
      return false;
    std::ifstream opened(file, std::ios::binary);
    std::vector<char> pixels(static_cast<std::size_t>(chunk.pixels() * bytes_));
    auto* row = pixels.data();
    for (std::int64_t z = 0; z < chunk.size[0]; ++z)
      for (std::int64_t y = 0; y < chunk.size[1]; ++y, row += chunk.size[2] * bytes_) {
        opened.seekg((z * chunk_[1] + y) * chunk_[2] * bytes_);
        opened.read(row, chunk.size[2] * bytes_);
      }
    EXPECT_TRUE(opened) << file;
    write(chunk, pixels.data());
    ++linked_;
    return true;
  }

 private:
  std::array<std::int64_t, 3> chunk_{};
  std::int64_t bytes_;
  std::atomic<std::int64_t>& linked_;
};

/// A usage error of pixels that others than the first rank read has the name of one of them.
[[noreturn]] void rethrow_without_rank(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const usage_error& told) {
    const std::string_view text = told.what();
    if (!text.starts_with("rank ")) throw;
    throw usage_error(std::string(text.substr(text.find(": ") + 2)));
  }
}

class in_pieces_on_ranks : public in_pieces {
 protected:
  void run_call(const std::vector<const_image_view>& inputs, const std::vector<image_view>& outputs,
                const computation& compute) const override {
    std::vector<std::unique_ptr<common_output>> common;
    for (const auto& output : outputs)
      common.push_back(output.data() ? std::make_unique<common_output>(output) : nullptr);
    const auto errors = on_ranks(size_, [&](ranks& all) {
      call_in_pieces call(inputs, {});
      for (std::size_t o = 0; o < outputs.size(); ++o)
        call.to.push_back(common[o] ? call.sinks.emplace_back(sink_of(*common[o], outputs[o])).get()
                                    : nullptr);
      auto options = options_;
      options.shared_by = &all;
      compute(call, options, all.is_first());
    });
    const auto failed = errors.size() - static_cast<std::size_t>(std::ranges::count(errors, nullptr));
    EXPECT_TRUE(failed == 0 || failed == errors.size()) << "an error of one rank is one of all";
    if (errors[0]) rethrow_without_rank(errors[0]);
    for (const auto& output : common) EXPECT_TRUE(!output || output->is_complete());
  }

  int size_ = 1;
  mutable std::atomic<std::int64_t> linked_ = 0;  // chunks of all calls

 private:
  std::unique_ptr<image_sink> sink_of(common_output& to, const image_view& form) const {
    const bool links = (size_ + form.shape().width()) % 2 == 0;
    if (links && form.channels() == 1) return std::make_unique<linking_sink>(to, form, linked_);
    return std::make_unique<common_sink>(to);
  }
};

TEST_P(in_pieces_on_ranks, equal_serial) {
  std::int64_t calls = 0;
  for (const auto& about : all_operators()) {
    if (!takes(about, type()) || about.hidden) continue;
    for (const auto near : all_neighbours) {
      const auto images =
          scaled_on_average(images_per_connectivity, seed_of(about.name, type(), near.count, 2));
      for (std::int64_t i = 0; i < images; ++i) {
        size_ = std::array{1, 2, 3, 4, 7}[static_cast<std::size_t>(calls++ % 5)];
        SCOPED_TRACE(std::to_string(size_) + " ranks");
        ASSERT_NO_FATAL_FAILURE(compare_one(about, near, i));
      }
    }
  }
  constexpr std::int64_t many = 50;
  EXPECT_TRUE(calls < many || linked_ > 0) << "no work file became a chunk";
}

INSTANTIATE_TEST_SUITE_P(all, in_pieces_on_ranks, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
