// The memory that is free, from files of the kernel.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "catalogue/gpu_start_up.hpp"
#include "engines/pieces/free_memory.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t mebibyte = 1 << 20;

/// What CUDA takes to start is measured so; on the cpu nothing starts.
TEST(memory_of_start_up, is_what_stays_resident) {
  std::vector<char> kept;
  EXPECT_GE(memory_taken_by([&] { kept.assign(64 * mebibyte, 'x'); }), 60 * mebibyte);
  EXPECT_LT(memory_taken_by([&] { std::vector<char>(64 * mebibyte, 'x').clear(); }), 60 * mebibyte);
}

class free_memory_of_kernel : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / (std::string("macareu-free-") + test->name());
    fs::remove_all(root_);
    write("proc/meminfo",
          "MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:  5120000 kB\nBuffers:  7 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void write(const std::string& file, std::int64_t mebibytes) const {
    write(file, std::to_string(mebibytes * mebibyte) + "\n");
  }
  /// In MiB.
  std::int64_t found() const { return pieces::free_memory(root_) / mebibyte; }

  fs::path root_;
};

TEST_F(free_memory_of_kernel, without_groups_the_machine_counts) {
  EXPECT_EQ(found(), 5000);
  fs::remove_all(root_);
  EXPECT_EQ(pieces::free_memory(root_), std::numeric_limits<std::int64_t>::max());
  EXPECT_GT(pieces::free_memory(), 0);
}

TEST_F(free_memory_of_kernel, files_that_were_read_are_free) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", 1000);
  write("sys/fs/cgroup/memory.current", 990);
  EXPECT_EQ(found(), 10);
  write("sys/fs/cgroup/memory.stat",
        "anon 7\nfile 943718400\ninactive_file 629145600\nactive_file 209715200\n");
  EXPECT_EQ(found(), 10 + 600 + 200);
  write("sys/fs/cgroup/memory.current", 500);  // read at another moment
  EXPECT_EQ(found(), 1000);
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(found(), 5000);
}

TEST_F(free_memory_of_kernel, the_least_of_all_groups_counts) {
  write("proc/self/cgroup", "0::/all/own\n");
  write("sys/fs/cgroup/all/own/memory.max", 300);
  write("sys/fs/cgroup/all/own/memory.current", 100);
  write("sys/fs/cgroup/all/memory.max", 400);
  write("sys/fs/cgroup/all/memory.current", 150);
  EXPECT_EQ(found(), 200);
  write("sys/fs/cgroup/all/memory.current", 350);
  EXPECT_EQ(found(), 50);
  write("sys/fs/cgroup/all/memory.current", 450);
  EXPECT_EQ(found(), 0);
}

TEST_F(free_memory_of_kernel, groups_of_version_1) {
  write("proc/self/cgroup", "9:pids:/own\n4:cpuset,memory:/all/own\n1:name=systemd:/own\n0::/own\n");
  write("sys/fs/cgroup/memory/all/own/memory.limit_in_bytes", 600);
  write("sys/fs/cgroup/memory/all/own/memory.usage_in_bytes", 550);
  write("sys/fs/cgroup/memory/all/own/memory.stat",
        "inactive_file 1\ntotal_inactive_file 104857600\ntotal_active_file 209715200\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", 800);
  EXPECT_EQ(found(), 50 + 100 + 200);
  // A container may have the path of the host, and its own group as the root.
  write("proc/self/cgroup", "4:memory:/docker/0123\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", 1000);
  EXPECT_EQ(found(), 200);
}

}  // namespace
}  // namespace macareu::test
