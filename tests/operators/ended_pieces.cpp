// What operators in pieces leave behind where a source or a sink fails, and how such runs are continued.
#include <iterator>

#include "operators/pieces_fixture.hpp"
#include "support/full_disk.hpp"

namespace macareu::test {
namespace {

TEST_F(operators_in_pieces, an_error_in_the_middle_is_reported_and_leaves_nothing) {
  options_.size = {1, 8, 16};
  const auto scenes = wave_scenes({40, 50});
  const auto& scene = scenes[0];
  for (const char* const name : {"reconstruct", "label", "distance_transform", "median"}) {
    const auto& about = *find_operator(name);
    const bool two = about.inputs.size() == 2;
    const auto count = [&](bool in_source, int fails_at, std::string* message) {
      turns turn;
      std::deque<counting_source> sources;
      if (two) sources.emplace_back(scene.marker, turn);
      sources.emplace_back(scene.mask, turn, in_source ? fails_at : never);
      counting_sink sink(output_of(about, sources, {}), turn, in_source ? never : fails_at);
      try {
        run(about, sources, sink, {});
      } catch (const io_error& error) {
        *message = error.what();
      }
      EXPECT_TRUE(nothing_is_left()) << name;
      return in_source ? sources.back().calls : sink.calls;
    };
    for (const bool in_source : {true, false}) {
      std::string message;
      const int calls = count(in_source, never, &message);
      EXPECT_EQ(message, "");
      EXPECT_GT(calls, 1) << name;
      for (int i = 0; i < calls; ++i) {
        message.clear();
        count(in_source, i, &message);
        ASSERT_EQ(message, in_source ? "disk: read error" : "disk: write error") << name << ", call " << i;
      }
    }
  }
}

/// What is left of a reconstruction that fails is continued, and gives the same bits.
class resumed_pieces : public operators_in_pieces {
 protected:
  void resume_after_errors(const wave_images& scene) {
    for (const int fails_at : {0, 3, 11, 19, 22, 30}) {
      SCOPED_TRACE(scene.name + ", error at call " + std::to_string(fails_at));
      const auto& about = *find_operator("reconstruct");
      turns turn;
      const auto run_with = [&](int fails) {
        std::deque<counting_source> sources;
        sources.emplace_back(scene.marker, turn);
        sources.emplace_back(scene.mask, turn, fails);
        counting_sink sink(output_of(about, sources, {}), turn);
        run(about, sources, sink, {});
        const std::vector<const_image_view> views{scene.marker, scene.mask};
        EXPECT_TRUE(same_bits(sink.pixels, run_operator(about, views)[0]));
        return sources[1].calls;
      };
      options_.name = "";
      options_.resume = false;
      const int calls = run_with(never);
      if (fails_at >= calls) continue;
      options_.name = "named";
      EXPECT_EQ(message_of<io_error>([&] { run_with(fails_at); }), "disk: read error; what is done is kept");
      EXPECT_FALSE(nothing_is_left());
      options_.resume = true;
      EXPECT_LE(run_with(never), calls);
      EXPECT_TRUE(nothing_is_left());
    }
  }
};

TEST_F(resumed_pieces, a_run_with_a_name_is_resumed_after_an_error) {
  struct cut {
    extents shape;
    sides piece;
    std::int64_t memory;
  };
  // In those of a limit, rims lie in a file.
  for (const auto& [shape, piece, memory] :
       std::vector<cut>{{{40, 50}, {1, 8, 16}, 0}, {{40, 50}, {}, 12'000}, {{12, 20, 24}, {}, 20'000}}) {
    options_.size = piece;
    options_.memory = memory;
    for (const auto& scene : wave_scenes(shape)) resume_after_errors(scene);
  }
}

// The journal of four pieces has room where these have none: no record may tell of pixels that were not
// written.
TEST_F(resumed_pieces, a_run_is_resumed_after_a_full_disk) {
  options_.size = {1, 64, 64};
  options_.name = "named";
  const auto& about = *find_operator("reconstruct");
  for (const auto& scene : wave_scenes({127, 128})) {
    const std::vector<const_image_view> views{scene.marker, scene.mask};
    const auto expected = run_operator(about, views);
    for (const rlim_t bytes : {2'000, 4'000, 8'000, 12'000, 16'000}) {
      const auto file = scratch_ / "out.npy";
      const auto attempt = [&] {
        turns turn;
        counting_source marker(scene.marker, turn), mask(scene.mask, turn);
        const std::array<image_source*, 2> from{&marker, &mask};
        const auto sink = create_sink(file, output_form(about, 0, from, {}));
        const std::array to{sink.get()};
        run_in_pieces(about, from, to, {}, how_, options_);
        sink->commit();
      };
      options_.resume = false;
      {
        const full_disk full(bytes);
        EXPECT_THROW(attempt(), io_error) << scene.name << ", " << bytes << " bytes";
      }
      options_.resume = true;
      attempt();
      EXPECT_TRUE(same_bits(read_image(file).pixels, expected[0])) << scene.name << ", " << bytes << " bytes";
      fs::remove(file);
    }
  }
}

TEST_F(operators_in_pieces, errors_of_work_files_close_them) {
  const auto pixels = drawn({40, 50}, [](std::int64_t i) { return i % 7; });
  const auto& about = *find_operator("distance_transform");
  options_.size = {1, 8, 16};
  const auto fails = [&](int read, rlim_t bytes) {
    turns turn;
    counting_source source(pixels, turn, read);
    const std::array<image_source*, 1> from{&source};
    const auto sink = create_sink(scratch_ / "out.npy", output_form(about, 0, from, {}));
    const full_disk full(bytes);
    EXPECT_THROW(run_in_pieces(about, from, std::array{sink.get()}, {}, how_, options_), io_error);
  };
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto expect_closed = [&](const char* what, const std::function<void()>& fail) {
    fail();
    const auto before = open_files();
    fail();
    EXPECT_EQ(open_files(), before) << what;
  };
  constexpr rlim_t header_bytes = 128, limit_bytes = 24;
  expect_closed("the header of an output", [&] { fails(never, header_bytes - 1); });
  options_.name = "named";
  expect_closed("the limit of a run", [&] { fails(never, limit_bytes - 1); });
  fails(3, RLIM_INFINITY);
  options_.resume = true;
  for (const auto& entry : fs::recursive_directory_iterator(scratch_))
    if (entry.path().filename() == "limit") fs::resize_file(entry.path(), limit_bytes - 1);
  expect_closed("a limit that is cut off", [&] { fails(never, RLIM_INFINITY); });
}

TEST_F(operators_in_pieces, sources_that_may_be_others_are_not_resumed) {
  options_.size = {1, 8, 16};
  options_.name = "named";
  const auto scenes = wave_scenes({40, 50});
  const auto& about = *find_operator("label");
  const auto run_with = [&](const std::string& name, int fails_at) {
    turns turn;
    std::deque<counting_source> sources;
    sources.emplace_back(scenes[0].mask, turn, fails_at);
    sources[0].name = name;
    counting_sink sink(output_of(about, sources, {}), turn);
    run(about, sources, sink, {});
  };
  EXPECT_NE(message_of<io_error>([&] { run_with("first", 4); }), "");
  options_.resume = true;
  EXPECT_EQ(
      message_of<usage_error>([&] { run_with("second", never); }),
      "the run cannot be resumed: the unfinished run was another one: then 'input: u8 of 40 x 50, first', now 'input: u8 "
      "of 40 x 50, second'");
  EXPECT_EQ(message_of<usage_error>([&] { run_with("", never); }),
            "the run cannot be resumed: image cannot be compared with that of the unfinished run, as it is a "
            "pipe or has no identity");
  run_with("first", never);
  EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace macareu::test
