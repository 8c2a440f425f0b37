// All outputs of a run appear together, or none.
#include <sys/stat.h>
#include <unistd.h>

#include "support.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

class output_files_test : public testing::Test {
 protected:
  /// Other tests' files must not be in the way.
  void SetUp() override {
    for (const auto& name : listing()) fs::remove_all(directory() / name);
  }
  fs::path at(const std::string& name) { return directory() / name; }
  image pixels_ = sample(dtype::u16, {20, 30});
};

TEST_F(output_files_test, nothing_remains_without_a_commit) {
  {
    output_files outputs;
    outputs.add(at("a.npy"), pixels_);
    outputs.add_text(at("b.csv"), "text");
    EXPECT_EQ(listing().size(), 2u);
    for (const auto& name : listing()) EXPECT_TRUE(name.starts_with('.') && contains(name, ".tmp.")) << name;
  }
  EXPECT_EQ(listing(), std::vector<std::string>{});
}

TEST_F(output_files_test, the_commit_renames_all) {
  {
    output_files outputs;
    outputs.add(at("a.npy"), pixels_);
    outputs.add(at("b.pgm"), pixels_);
    outputs.add_text(at("c.csv"), "text");
    outputs.add_text(at("no-extension"), "more");
    outputs.commit();
  }
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.npy", "b.pgm", "c.csv", "no-extension"}));
  expect_same(read_image(at("a.npy")).pixels, pixels_);
  expect_same(read_image(at("b.pgm")).pixels, pixels_);
  EXPECT_EQ(load(at("c.csv")), "text");
}

TEST_F(output_files_test, existing_files_stay_until_the_commit_replaces_them) {
  save("a.npy", "old");
  output_files outputs;
  outputs.add(at("a.npy"), pixels_);
  EXPECT_EQ(load(at("a.npy")), "old");
  outputs.commit();
  expect_same(read_image(at("a.npy")).pixels, pixels_);
  EXPECT_EQ(listing().size(), 1u);
}

TEST_F(output_files_test, a_commit_that_was_killed_is_finished) {
  for (const auto* name : {"work", "b.csv"}) fs::create_directory(at(name));
  save("a.npy", "old");
  EXPECT_FALSE(output_files::finish_commit(at("work")));
  {
    output_files outputs(at("work"));
    outputs.add(at("a.npy"), pixels_);
    outputs.add_text(at("b.csv"), "text");
    outputs.add_text(at("c.csv"), "more");
    EXPECT_THROW(outputs.commit(), io_error);  // the second rename fails: as if the process had ended there
  }
  expect_same(read_image(at("a.npy")).pixels, pixels_);
  EXPECT_FALSE(fs::exists(at("c.csv")));
  fs::remove(at("b.csv"));
  for (int time = 0; time < 2; ++time) {
    EXPECT_TRUE(output_files::finish_commit(at("work")));
    EXPECT_EQ(load(at("b.csv")), "text");
    EXPECT_EQ(load(at("c.csv")), "more");
  }
  fs::remove(at("c.csv"));
  EXPECT_THROW(output_files::finish_commit(at("work")), io_error);
}

TEST_F(output_files_test, a_commit_from_a_folder_replaces_directories) {
  if (!writes(".zarr")) GTEST_SKIP() << "this build has no nlohmann-json";
  fs::create_directory(at("work"));
  for (int time = 0; time < 2; ++time) {
    output_files outputs(at("work"));
    outputs.add(at("z.zarr"), pixels_);
    outputs.commit();
    expect_same(read_image(at("z.zarr")).pixels, pixels_);
    fs::remove_all(at("work"));
    fs::create_directory(at("work"));
  }
}

TEST_F(output_files_test, the_last_of_two_with_one_name_stays) {
  output_files outputs;
  outputs.add_text(at("a.txt"), "first");
  outputs.add_text(at("a.txt"), "second");
  outputs.commit();
  EXPECT_EQ(load(at("a.txt")), "second");
  EXPECT_EQ(listing().size(), 1u);
}

TEST_F(output_files_test, links_are_followed) {
  fs::create_directory(at("elsewhere"));
  save("elsewhere/target.npy", "old");
  fs::create_symlink("elsewhere/target.npy", at("link.npy"));
  fs::create_symlink("link.npy", at("link-to-link.npy"));
  fs::create_symlink("elsewhere/not-yet.npy", at("dangling.npy"));
  output_files outputs;
  outputs.add(at("link-to-link.npy"), pixels_);
  outputs.add(at("dangling.npy"), pixels_);
  outputs.commit();
  EXPECT_TRUE(fs::is_symlink(at("link.npy")) && fs::is_symlink(at("link-to-link.npy")) &&
              fs::is_symlink(at("dangling.npy")));
  expect_same(read_image(at("elsewhere/target.npy")).pixels, pixels_);
  expect_same(read_image(at("elsewhere/not-yet.npy")).pixels, pixels_);
}

TEST_F(output_files_test, failures_name_the_destination_and_leave_nothing) {
  const auto missing = at("missing") / "a.npy";
  fs::create_directory(at("folder.npy"));
  {
    output_files outputs;
    EXPECT_EQ(message_of<io_error>([&] { outputs.add(missing, pixels_); }),
              missing.string() + ": No such file or directory");
    EXPECT_EQ(message_of<io_error>([&] { outputs.add(at("folder.npy"), pixels_); }),
              at("folder.npy").string() + ": is a directory");
    EXPECT_TRUE(contains(message_of<usage_error>([&] {
                           outputs.add(at("a.pgm"), sample(dtype::f32, {2, 2}));
                         }),
                         ".npy"));
    outputs.commit();
  }
  EXPECT_EQ(listing(), std::vector<std::string>{"folder.npy"});
}

TEST_F(output_files_test, a_directory_without_permission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directory(at("closed"));
  fs::permissions(at("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  output_files outputs;
  EXPECT_TRUE(
      contains(message_of<io_error>([&] { outputs.add(at("closed/a.npy"), pixels_); }), "Permission denied"));
}

TEST_F(output_files_test, permissions_follow_the_mask) {
  const auto old = ::umask(027);
  output_files outputs;
  outputs.add(at("a.npy"), pixels_);
  outputs.commit();
  ::umask(old);
  EXPECT_EQ(fs::status(at("a.npy")).permissions(), fs::perms(0640));
}

TEST_F(output_files_test, names_as_long_as_they_may_be) {
  auto name = std::string(251, 'n');
  name += ".npy";
  output_files outputs;
  outputs.add(at(name), pixels_);
  outputs.commit();
  EXPECT_EQ(listing(), std::vector<std::string>{name});
}

}  // namespace
}  // namespace macareu::test
