// A wrapper of libclang: cursors with their text and location.
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

/// Owns a translation unit of libclang.
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

/// The result of a first pass, which tolerates compile errors.
struct outline {
  std::vector<range> skipped;                 ///< ranges that #if excludes
  std::vector<std::string> types, functions;  ///< declared by the file
  /// Names of system headers that the text uses: macros without arguments, macros whose text uses no other
  /// names, and number types.
  std::vector<std::string> system_constants;
  std::vector<system_macro> system_macros;
  std::vector<system_type> system_types;
};
outline outline_of(const source& from, const std::string& file);

/// The values of macros as literals. Macros that are not numbers are omitted.
std::vector<system_macro> values_of(const source& from, const std::string& file,
                                    const std::vector<std::string>& macros);

/// A parsed file. Throws usage_error with the compiler's first error.
class unit {
 public:
  unit(const source& from, const std::string& file, const std::string& prelude);

  /// Declarations of the file, without those of system headers.
  const std::vector<CXCursor>& declarations() const { return declarations_; }

  range range_of(CXCursor cursor) const;
  /// The same, or nothing if a macro is involved.
  std::optional<range> plain_range_of(CXCursor cursor) const;
  std::string text_of(CXCursor cursor) const;
  /// The comment right before a declaration, with its newline; empty if there is none.
  static std::string comment_before(CXCursor cursor);
  const std::string& text() const { return text_; }

 private:
  void check() const;
  /// Descends into extern "C" and anonymous namespaces.
  void add_declarations(CXCursor around);

  std::string text_;
  translation parsed_;
  std::vector<CXCursor> declarations_;
};

place place_of(CXCursor cursor);
/// The offset of the name. For a macro's argument it is where the argument was written.
std::size_t written_offset(CXCursor cursor);
/// Whether the declaration is in the file or in a file that it includes by #include "...".
bool is_users(CXCursor cursor);
std::vector<CXCursor> children_of(CXCursor cursor);

/// Whether the declaration is outside all types, functions and named namespaces.
bool is_of_whole_file(CXCursor declared);
bool declares_type(CXCursor cursor);
/// The type of an expression before implicit conversions.
CXTypeKind written_type(CXCursor expression);

/// Throws usage_error "file:line: what; expected ...".
[[noreturn]] void refuse(const place& where, const std::string& what, const std::string& expected);
[[noreturn]] inline void refuse(CXCursor where, const std::string& what, const std::string& expected) {
  refuse(place_of(where), what, expected);
}

}  // namespace macareu::converter
