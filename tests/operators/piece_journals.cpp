// Journals of runs in pieces: what a full disk, a kill and a loss of power leave of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engines/pieces/files/journal.hpp"
#include "support/full_disk.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

const std::string description = "operator: label\n";

class piece_journals : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("macareu-journals-") + test->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A run that was killed when it had done so many pieces.
  fs::path killed_run(const char* name, std::int64_t pieces) const {
    const auto file = folder_ / name;
    pieces::journal done;
    done.open(file, description, false);
    for (std::int64_t i = 0; i < pieces; ++i) done.record(1, i);
    return file;
  }

  fs::path folder_;
};

/// The machine loses its power: the journal is that of another one now.
void restart_machine(const fs::path& file) {
  std::ifstream from(file, std::ios::binary);
  std::string journal((std::istreambuf_iterator<char>(from)), {});
  struct {
    std::int64_t of, piece;
    std::uint32_t size, check;
  } head{};
  std::uint64_t described = 0;
  std::memcpy(&described, journal.data(), sizeof described);
  for (auto at = sizeof described + described; at < journal.size(); at += sizeof head + head.size) {
    std::memcpy(&head, journal.data() + at, sizeof head);
    constexpr std::int64_t began = -2;
    if (head.of != began) continue;
    journal.replace(at + sizeof head, head.size, head.size, 'x');
    head.check = 2166136261u;  // FNV-1a of all but itself
    const auto add = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        head.check = (head.check ^ static_cast<unsigned char>(journal[i])) * 16777619u;
    };
    add(at, sizeof head - sizeof head.check);
    add(at + sizeof head, head.size);
    std::memcpy(journal.data() + at, &head, sizeof head);
  }
  std::ofstream(file, std::ios::binary) << journal;
}

TEST_F(piece_journals, a_full_disk_leaves_what_was_noted) {
  const auto file = folder_ / "journal";
  {
    pieces::journal done;
    done.open(file, description, false);
    done.record(1, 0);
    const auto bytes = fs::file_size(file);
    const full_disk full;
    EXPECT_NO_THROW(done.stop());
    EXPECT_EQ(fs::file_size(file), bytes);
  }
  pieces::journal done;
  done.open(file, description, true);
  EXPECT_TRUE(done.has(1, 0));
}

TEST_F(piece_journals, a_journal_of_another_machine_makes_no_own_record_durable) {
  const auto own = killed_run("journal", 3), other = killed_run("journal.1", 2);
  restart_machine(other);
  {
    pieces::journal done;
    done.open(own, description, true, {other});
    EXPECT_TRUE(done.has(1, 2));
    EXPECT_FALSE(done.trusts_files());
  }
  restart_machine(own);  // before it synced anything
  pieces::journal done;
  done.open(own, description, true);
  for (std::int64_t piece = 0; piece < 3; ++piece) EXPECT_FALSE(done.has(1, piece)) << piece;
}

TEST_F(piece_journals, files_that_may_be_lost_stay_so) {
  const auto own = killed_run("journal", 3);
  {
    pieces::journal done;
    done.open(own, description, true);
    EXPECT_TRUE(done.trusts_files());
  }
  restart_machine(own);
  for (int attempt = 0; attempt < 3; ++attempt) {
    pieces::journal done;
    done.open(own, description, true);
    EXPECT_FALSE(done.trusts_files());
    if (attempt == 1) done.stop();
  }
}

}  // namespace
}  // namespace macareu::test
