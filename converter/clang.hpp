// libclang in the terms of this project: cursors with their text and place.
#pragma once

#include <clang-c/Index.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "description.hpp"
#include "source.hpp"

namespace macareu::converter {

std::string taken(CXString text);
inline std::string name_of(CXCursor cursor) { return taken(clang_getCursorSpelling(cursor)); }

struct range {
  std::size_t begin = 0, end = 0;
};

/// Owns what libclang makes of a text.
class translation {
 public:
  translation(const source& from, const std::string& file, const std::string& prelude, unsigned options);
  ~translation();
  translation(const translation&) = delete;
  translation& operator=(const translation&) = delete;

  CXTranslationUnit get() const { return unit_; }

 private:
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
};

/// What a first look finds, whether the text compiles or not.
struct outline {
  std::vector<range> skipped;                 ///< what #if leaves out
  std::vector<std::string> types, functions;  ///< that the file declares
  /// Of headers of the system, what the text has the words of: macros without arguments, macros whose text
  /// needs no other names, and numbers.
  std::vector<std::string> system_constants;
  std::vector<system_macro> system_macros;
  std::vector<system_type> system_types;
};
outline outline_of(const source& from, const std::string& file);

/// What macros are, as numbers are written; those that are no numbers are left out.
std::vector<system_macro> values_of(const source& from, const std::string& file,
                                    const std::vector<std::string>& macros);

/// A parsed file. Throws usage_error with the first error of the compiler.
class unit {
 public:
  unit(const source& from, const std::string& file, const std::string& prelude);

  /// What the file declares, includes of the system apart.
  const std::vector<CXCursor>& declarations() const { return declarations_; }

  range range_of(CXCursor cursor) const;
  /// As above, and nothing where a macro is involved.
  std::optional<range> plain_range_of(CXCursor cursor) const;
  std::string text_of(CXCursor cursor) const;
  /// What stands right before a declaration, with the line's end; empty where nothing does.
  static std::string comment_before(CXCursor cursor);
  const std::string& text() const { return text_; }

 private:
  void check() const;
  /// Of extern "C" and of a namespace without a name those that are in it.
  void add_declarations(CXCursor around);

  std::string text_;
  translation parsed_;
  std::vector<CXCursor> declarations_;
};

place place_of(CXCursor cursor);
/// Where its name stands; of a macro's argument where that was written.
std::size_t written_offset(CXCursor cursor);
/// Whether it stands in the file, or in what the file includes by #include "...".
bool is_users(CXCursor cursor);
std::vector<CXCursor> children_of(CXCursor cursor);

/// Not within a type, a function or a namespace that has a name.
bool is_of_whole_file(CXCursor declared);
bool declares_type(CXCursor cursor);
/// The type of an expression before the conversions that C makes by itself.
CXTypeKind written_type(CXCursor expression);

/// Throws usage_error "file:line: what; expected ...".
[[noreturn]] void refuse(const place& where, const std::string& what, const std::string& expected);
[[noreturn]] inline void refuse(CXCursor where, const std::string& what, const std::string& expected) {
  refuse(place_of(where), what, expected);
}

}  // namespace macareu::converter
