// Operators in pieces that several ranks share.
#include <atomic>

#include "conformance/in_pieces.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t images_per_connectivity = 8;

/// Memory that all ranks write to.
class common_sink final : public image_sink {
 public:
  explicit common_sink(const image_view& to) : sink_(sink_to(to)) {}
  void write(const image_region& to, const void* from) override { sink_->write(to, from); }
  void commit() override {}
  bool was_written(const image_region&) override { return true; }

 private:
  std::unique_ptr<image_sink> sink_;
};

class in_pieces_on_ranks : public in_pieces {
 protected:
  void run_call(const std::vector<const_image_view>& inputs, const std::vector<image_view>& outputs,
                const computation& compute) const override {
    const auto errors = on_ranks(size_, [&](ranks& all) {
      call_in_pieces call(inputs, {});
      for (const auto& output : outputs)
        call.to.push_back(output.data() ? call.sinks.emplace_back(std::make_unique<common_sink>(output)).get()
                                        : nullptr);
      auto options = options_;
      options.shared_by = &all;
      compute(call, options, all.is_first());
    });
    const auto failed = errors.size() - static_cast<std::size_t>(std::ranges::count(errors, nullptr));
    EXPECT_TRUE(failed == 0 || failed == errors.size()) << "an error of one rank is one of all";
    if (errors[0]) std::rethrow_exception(errors[0]);
  }

  int size_ = 1;
};

TEST_P(in_pieces_on_ranks, equal_serial) {
  std::int64_t calls = 0;
  for (const auto& about : all_operators()) {
    if (!takes(about, type()) || about.hidden) continue;
    for (const auto near : all_neighbours)
      for (std::int64_t i = 0; i < scaled(images_per_connectivity); ++i) {
        size_ = std::array{2, 3, 4, 7}[static_cast<std::size_t>(calls++ % 4)];
        SCOPED_TRACE(std::to_string(size_) + " ranks");
        ASSERT_NO_FATAL_FAILURE(compare_one(about, near, i));
      }
  }
}

INSTANTIATE_TEST_SUITE_P(all, in_pieces_on_ranks, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
