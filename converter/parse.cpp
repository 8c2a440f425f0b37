#include "parse.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include <macareu/error.hpp>

#include "body_checks.hpp"
#include "clang.hpp"
#include "edits.hpp"
#include "macros.hpp"
#include "math_arguments.hpp"
#include "signature.hpp"
#include "type_checks.hpp"
#include "vector_writes.hpp"

namespace macareu::converter {
namespace {

bool holds(const range& where, std::size_t offset) { return where.begin <= offset && offset < where.end; }

/// Removes directives, lines and faults that #if excludes. The text is unchanged.
source without_skipped(source from, const std::vector<range>& skipped) {
  const auto is_skipped = [&](const auto& each) {
    return std::ranges::any_of(skipped, [&](const range& where) { return holds(where, each.offset); });
  };
  std::erase_if(from.directives, is_skipped);
  std::erase_if(from.lines, is_skipped);
  std::erase_if(from.faults, is_skipped);
  return from;
}

/// The papers use T and E without declaring them. Tells whether the file declares them.
struct paper_types {
  bool e = false, t = false;
};

paper_types paper_types_of(const source& from, const outline& seen) {
  const auto declared = [&](const std::string& name) {
    return std::ranges::find(seen.types, name) != seen.types.end() || defines_macro(from, name);
  };
  return {declared("E"), declared("T")};
}

/// Keywords of C that C++ spells differently.
constexpr std::array<std::pair<const char*, const char*>, 5> words_of_c{
    {{"_Bool", "#define _Bool bool\n"},
     {"restrict", "#define restrict __restrict__\n"},
     {"_Alignas", "#define _Alignas alignas\n"},
     {"_Alignof", "#define _Alignof alignof\n"},
     {"_Static_assert", "#define _Static_assert static_assert\n"}}};

/// The first use of T or E as a type.
std::optional<CXCursor> paper_type_in(CXCursor cursor) {
  if (clang_getCursorKind(cursor) == CXCursor_TypeRef) {
    const auto name = name_of(clang_getCursorReferenced(cursor));
    if (name == "T" || name == "E") return cursor;
  }
  for (const auto& child : children_of(cursor))
    if (const auto found = paper_type_in(child)) return found;
  return {};
}

/// Declarations that the papers take for granted, and abs, a builtin of C compilers.
std::string prelude_of(const source& from, category kind, const paper_types& declared, const outline& seen) {
  std::string text;
  for (const auto& [word, definition] : words_of_c)
    if (from.written_in == language::c && !defines_macro(from, word)) text += definition;
  if (from.written_in == language::c && includes(from, "math.h") &&
      std::ranges::find(seen.functions, "abs") == seen.functions.end())
    text += "#include <stdlib.h>\n";
  if (kind == category::r2s) {
    if (!declared.e) text += "typedef unsigned char E;\n";
    if (!declared.t) text += "typedef long long T;\n";
  }
  if (kind == category::r2v)
    for (const std::string type : {"int", "unsigned int", "unsigned long long"})
      text += type + " atomicAdd(" + type + "* address, " + type + " value);\n";
  return text;
}

/// The pattern, from the directives. Throws if there is none, or more than the pattern needs.
category category_of(const source& from, const std::string& file) {
  const directive* first = nullptr;
  std::size_t functions = 0, structs = 0;
  for (const auto& each : from.directives) {
    if (!each.kind) {
      if (++structs > 1) refuse(each.where, "a second " + each.text, "one parameter struct in a file");
      continue;
    }
    ++functions;
    if (first == nullptr) {
      first = &each;
      continue;
    }
    const bool pair = each.kind == category::iwpp && first->kind == category::iwpp && functions == 2;
    if (!pair)
      refuse(each.where,
             std::string(functions == 2 ? "a second" : "a third") + " marked function, after " + first->text +
                 " in line " + std::to_string(first->where.line),
             "one marked function in a file; only #IWPP_FUNC marks two, offer and better");
  }
  if (first == nullptr)
    throw usage_error(
        file +
        ": no function is marked; expected #P2P_FUNC, #N2P_FUNC, #R2S_FUNC, #R2V_FUNC or #IWPP_FUNC (or "
        "#pragma macareu p2p and so on) before one");
  if (first->kind == category::iwpp && functions != 2)
    refuse(first->where, "one function for " + first->text,
           "two, offer and better, each after the directive");
  return *first->kind;
}

class reading {
 public:
  reading(source from, const std::string& file, category kind, const outline& seen)
      : from_(std::move(from)),
        seen_(seen),
        declared_(paper_types_of(from_, seen)),
        unit_(from_, file, prelude_of(from_, kind, declared_, seen)) {
    about_.kind = kind;
    about_.file = std::filesystem::path(file).filename().string();
  }

  description result() {
    auto parameter_struct = clang_getCursorType(clang_getNullCursor());
    std::vector<CXCursor> marked;
    for (const auto& each : from_.directives) {
      const auto declared = declaration_after(each);
      if (each.kind)
        marked.push_back(function(declared, each));
      else
        parameter_struct = struct_type(declared, each);
    }
    if (about_.kind == category::iwpp)
      wave(marked, parameter_struct);
    else
      read_signature(about_, marked[0], parameter_struct);
    about_.function = name_of(marked[0]);
    about_.any_pixel = about_.generic && !declared_.e;
    about_.any_result = about_.generic && !declared_.t;
    take_functions(marked);
    take_definitions();
    take_names_of_system();
    try {
      check_description(about_);
    } catch (const usage_error& e) {
      refuse(marked[0], e.what(), "numbers and structs of this file by their plain names");
    }
    return std::move(about_);
  }

 private:
  CXCursor declaration_after(const directive& mark) const {
    for (const auto& each : unit_.declarations())
      if (!declares_type(each) && clang_getCursorKind(each) != CXCursor_FunctionDecl &&
          holds(unit_.range_of(each), mark.offset))
        refuse(mark.where, mark.text + " inside a namespace or another block",
               "the directive outside all blocks");
    for (const auto& each : unit_.declarations())
      if (unit_.range_of(each).begin >= mark.offset) {
        const auto typedef_of_it = typedef_around(each);
        return clang_Cursor_isNull(typedef_of_it) ? each : typedef_of_it;
      }
    refuse(mark.where, "nothing follows " + mark.text,
           mark.kind ? "a static function" : "the struct with the parameters");
  }

  /// typedef struct { ... } data; is two declarations, the struct first.
  CXCursor typedef_around(CXCursor inner) const {
    const auto within = unit_.range_of(inner);
    for (const auto& each : unit_.declarations()) {
      const auto [begin, end] = unit_.range_of(each);
      if (clang_getCursorKind(each) == CXCursor_TypedefDecl && begin <= within.begin && within.end <= end)
        return each;
    }
    return clang_getNullCursor();
  }

  static CXCursor function(CXCursor declared, const directive& mark) {
    constexpr auto expected =
        "the definition of a static function, such as static unsigned char f(...) { ... }";
    if (clang_getCursorKind(declared) != CXCursor_FunctionDecl)
      refuse(declared, mark.text + " is followed by something else than a function", expected);
    const auto definition = clang_getCursorDefinition(declared);
    if (clang_Cursor_isNull(definition))
      refuse(declared, "'" + name_of(declared) + "' is declared, not defined", expected);
    if (clang_Cursor_getStorageClass(clang_getCanonicalCursor(definition)) != CX_SC_Static)
      refuse(definition, "'" + name_of(definition) + "' is not static", expected);
    return definition;
  }

  static CXType struct_type(CXCursor declared, const directive& mark) {
    const auto type = clang_getCursorType(declared);
    if (clang_getCanonicalType(type).kind != CXType_Record)
      refuse(declared, mark.text + " is followed by something else than a struct",
             "typedef struct { int name; ... } data;");
    return type;
  }

  void wave(std::vector<CXCursor>& marked, CXType parameter_struct) {
    if (name_of(marked[0]) == "better") std::swap(marked[0], marked[1]);
    for (std::size_t i = 0; i < 2; ++i)
      if (name_of(marked[i]) != (i == 0 ? "offer" : "better"))
        refuse(marked[i], "'" + name_of(marked[i]) + "' is neither offer nor better",
               "the two functions of a propagation rule by these names");
    read_signature(about_, marked[0], parameter_struct);
    check_better(about_, marked[1], parameter_struct);
  }

  void take_functions(const std::vector<CXCursor>& marked) {
    std::vector<CXCursor> helpers;
    for (const auto& each : marked)
      for (const auto& called : checked_calls(each)) {
        const auto same = [&](const CXCursor& other) { return clang_equalCursors(other, called) != 0; };
        if (std::ranges::none_of(marked, same) && std::ranges::none_of(helpers, same))
          helpers.push_back(called);
      }
    std::vector<kept_function> kept;
    for (const auto& list : {helpers, marked})
      for (const auto& each : list) {
        check_unqualified(unit_, each);
        const auto [begin, end] = unit_.range_of(each);
        kept.push_back({name_of(each), begin, end});
      }
    for (const auto& each : kept)
      if (const auto name = ascii_name(each.name); name != each.name)
        about_.definitions += "#define " + each.name + " " + name + "\n";
    drop_late_undefs(from_, kept);
    for (const auto& each : kept) check_macros(from_, each);
    // A function precedes its callers, so forward declarations are not needed.
    for (const auto& each : helpers) {
      check_use_of_paper_types(each);
      if (about_.generic && name_of(each) == "reduction")
        refuse(each, "'reduction' is named as the class that generated code puts it in", "another name");
      about_.helpers +=
          unit::comment_before(each) + rule_word(each) + edited(unit_, each, edits_of(each)) + "\n\n";
    }
    for (const auto& each : marked) {
      check_use_of_paper_types(each);
      auto edits = edits_of(each);
      if (about_.kind == category::r2v)
        std::ranges::copy(atomic_writes(unit_, each, clang_Cursor_getArgument(each, 1)),
                          std::back_inserter(edits));
      if (!about_.body.empty()) about_.body += "\n\n";
      about_.body += unit::comment_before(each) + rule_word(each) + edited(unit_, each, std::move(edits));
    }
    about_.body += "\n";
    std::ranges::sort(about_.c_functions);
    about_.c_functions.erase(std::unique(about_.c_functions.begin(), about_.c_functions.end()),
                             about_.c_functions.end());
  }

  /// The prefix of a function's text. Functions are static: several files include their header, and helpers
  /// of a generic function are members of a class.
  static std::string rule_word(CXCursor function) {
    const auto storage = clang_Cursor_getStorageClass(function);
    if (storage == CX_SC_Extern)
      refuse(function, "'" + name_of(function) + "' is extern", "a static function");
    return storage == CX_SC_Static ? "RULE " : "RULE static ";
  }

  /// Undeclared T and E have a meaning only in a generic function and its helpers.
  void check_use_of_paper_types(CXCursor function) const {
    if (about_.generic) return;
    if (const auto used = paper_type_in(function); used && !is_users(clang_getCursorReferenced(*used)))
      refuse(*used, "unknown type name '" + name_of(clang_getCursorReferenced(*used)) + "'",
             "a type of this file, or static T f(E pixel1, E pixel2) as the marked function");
  }

  /// Types of the file must not use T and E, which the caller determines.
  void check_type_of_file(CXCursor declared) const {
    const auto used = paper_type_in(declared);
    if (!used || (!about_.generic && is_users(clang_getCursorReferenced(*used)))) return;
    const auto name = name_of(clang_getCursorReferenced(*used));
    refuse(*used, "'" + name + "' in a type outside the functions, where it is not known",
           "a number such as int or double");
  }

  /// Edits from C to C++. For C, records the called functions of mathematics; for C++, edits the calls.
  std::vector<edit> edits_of(CXCursor function) {
    auto edits = struct_literals(unit_, function);
    if (from_.written_in == language::cpp)
      std::ranges::copy(conversions_to_double(unit_, function), std::back_inserter(edits));
    else
      std::ranges::copy(mathematics_of(function), std::back_inserter(about_.c_functions));
    return edits;
  }

  void take_definitions() {
    struct piece {
      range where;
      std::string text;
    };
    std::vector<piece> pieces;
    for (const auto& each : from_.lines) pieces.push_back({{each.offset, each.offset}, each.line});
    for (const auto& each : unit_.declarations()) {
      if (!declares_type(each) || (about_.generic && (name_of(each) == "T" || name_of(each) == "E")))
        continue;
      check_type_of_file(each);
      check_names_in(each);
      check_unqualified(unit_, each);
      const auto where = unit_.range_of(each);
      const auto inside = [&](const piece& other) {
        return other.where.begin >= where.begin && other.where.end <= where.end &&
               other.where.end > other.where.begin;
      };
      std::erase_if(pieces, inside);
      pieces.push_back({where, unit::comment_before(each) + unit_.text_of(each) + ";"});
    }
    std::ranges::stable_sort(pieces, {}, [](const piece& each) { return each.where.begin; });
    for (const auto& each : pieces) about_.definitions += each.text + "\n";
    take_words_of_c();
  }

  void take_names_of_system() {
    const auto words = words_of(about_.definitions + about_.helpers + about_.body);
    std::set<std::string> used(words.begin(), words.end());
    std::erase_if(used, [&](const auto& each) { return defines_macro(from_, each); });
    std::vector<std::string> constants;
    for (const auto& each : seen_.system_constants)
      if (used.contains(each)) constants.push_back(each);
    about_.system_macros = values_of(from_, about_.file, constants);
    const auto is_used = [&](const auto& each) { return used.contains(each.name); };
    std::ranges::copy_if(seen_.system_macros, std::back_inserter(about_.system_macros), is_used);
    std::ranges::copy_if(seen_.system_types, std::back_inserter(about_.system_types), is_used);
  }

  /// Adds the definitions of C keywords that the text uses.
  void take_words_of_c() {
    if (from_.written_in != language::c) return;
    const auto used = words_of(about_.definitions + about_.helpers + about_.body);
    for (const auto& [word, definition] : words_of_c)
      if (std::ranges::find(used, word) != used.end() && !defines_macro(from_, word))
        about_.definitions = definition + about_.definitions;
  }

  source from_;
  const outline& seen_;
  paper_types declared_;
  unit unit_;
  description about_;
};

}  // namespace

bool can_parse() { return true; }

description parse(const source& from, const std::string& file) {
  const auto seen = outline_of(from, file);
  const auto active = without_skipped(from, seen.skipped);
  if (!active.faults.empty()) std::rethrow_exception(active.faults.front().what);
  check_macro_names(active);
  return reading(active, file, category_of(active, file), seen).result();
}

}  // namespace macareu::converter
