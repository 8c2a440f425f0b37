#include "clang.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include <macareu/error.hpp>

#include "macros.hpp"

namespace macareu::converter {
namespace {

/// A fixed name: the file's own name would depend on the working directory.
constexpr const char* buffer_name = "/macareu/function.cpp";
constexpr const char* prelude_name = "/macareu/prelude.hpp";

place presumed(CXSourceLocation at) {
  CXString file;
  unsigned line = 0;
  clang_getPresumedLocation(at, &file, &line, nullptr);
  return {taken(file), line};
}

std::size_t spelled_offset(CXSourceLocation at) {
  unsigned offset = 0;
  clang_getSpellingLocation(at, nullptr, nullptr, nullptr, &offset);
  return offset;
}

std::size_t expanded_offset(CXSourceLocation at) {
  unsigned offset = 0;
  clang_getExpansionLocation(at, nullptr, nullptr, nullptr, &offset);
  return offset;
}

std::string expectation_for(const std::string& message) {
  if (message.find("unknown type") != std::string::npos)
    return "expected bool, signed or unsigned char, short, int, long, float, double, a name of <stdint.h>, or a "
           "struct of this file";
  if (message.find("undeclared identifier") != std::string::npos ||
      message.find("file not found") != std::string::npos)
    return "expected a name of this file, or of a header that it includes";
  if (message.ends_with("'void *'"))
    return "expected local variables in place of memory that is allocated, and a cast of any other pointer";
  if (message.find("extension") != std::string::npos || message.find("designator") != std::string::npos)
    return "expected what C and C++ have in common, which every device's compiler takes";
  if (message.find("does not return a value") != std::string::npos)
    return "expected a return with a value at the end of every path";
  return "expected a file that compiles as C++";
}

/// NaN and infinity have no literal in device code, so they are built from their bits.
std::string real_literal(double value, bool single) {
  if (std::isnan(value))
    return single ? "__int_as_float(0x7fc00000)" : "__longlong_as_double(0x7ff8000000000000)";
  const std::string sign = value < 0 ? "-" : "";
  if (std::isinf(value))
    return "(" + sign + (single ? "__int_as_float(0x7f800000)" : "__longlong_as_double(0x7ff0000000000000)") +
           ")";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "(%.*e%s)", single ? 8 : 16, value, single ? "f" : "");
  return text.data();
}

/// The lowest value of a type has no literal: its magnitude does not fit.
std::string whole_literal(long long value, const std::string& suffix) {
  return value < 0 ? "(-" + std::to_string(-(value + 1)) + suffix + " - 1)" : std::to_string(value) + suffix;
}

/// The initial value of a variable as a literal; empty if it is not a number.
std::string literal_of(CXCursor variable) {
  auto* const value = clang_Cursor_Evaluate(variable);
  if (value == nullptr) return "";
  const auto kind = clang_EvalResult_getKind(value);
  const auto whole = kind == CXEval_Int ? clang_EvalResult_getAsLongLong(value) : 0;
  const auto natural = kind == CXEval_Int ? clang_EvalResult_getAsUnsigned(value) : 0;
  const auto real = kind == CXEval_Float ? clang_EvalResult_getAsDouble(value) : 0;
  clang_EvalResult_dispose(value);
  const auto type = clang_getCanonicalType(clang_getCursorType(variable)).kind;
  if (kind == CXEval_Float && (type == CXType_Float || type == CXType_Double))
    return real_literal(real, type == CXType_Float);
  if (kind != CXEval_Int) return "";
  switch (type) {
    case CXType_Int:
      return whole_literal(whole, "");
    case CXType_Long:
      return whole_literal(whole, "L");
    case CXType_LongLong:
      return whole_literal(whole, "LL");
    case CXType_UInt:
      return std::to_string(natural) + "U";
    case CXType_ULong:
      return std::to_string(natural) + "UL";
    case CXType_ULongLong:
      return std::to_string(natural) + "ULL";
    default:
      return "";
  }
}

}  // namespace

std::string taken(CXString text) {
  const char* letters = clang_getCString(text);
  std::string result = letters == nullptr ? "" : letters;
  clang_disposeString(text);
  return result;
}

place place_of(CXCursor cursor) { return presumed(clang_getCursorLocation(cursor)); }

std::size_t written_offset(CXCursor cursor) { return spelled_offset(clang_getCursorLocation(cursor)); }

CXTypeKind written_type(CXCursor expression) {
  for (auto inner = children_of(expression);
       clang_getCursorKind(expression) == CXCursor_UnexposedExpr && inner.size() == 1;
       inner = children_of(expression))
    expression = inner.front();
  return clang_getCanonicalType(clang_getCursorType(expression)).kind;
}

void refuse(const place& where, const std::string& what, const std::string& expected) {
  throw usage_error(to_string(where) + what + "; expected " + expected);
}

std::vector<CXCursor> children_of(CXCursor cursor) {
  std::vector<CXCursor> children;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData list) {
        static_cast<std::vector<CXCursor>*>(list)->push_back(child);
        return CXChildVisit_Continue;
      },
      &children);
  return children;
}

namespace {

/// A block that adds no scope to names: an anonymous namespace, or extern "C". Older versions of libclang
/// report the latter as UnexposedDecl.
bool is_open_block(CXCursor cursor) {
  const auto kind = clang_getCursorKind(cursor);
  return kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl ||
         (kind == CXCursor_Namespace && clang_Cursor_isAnonymous(cursor) != 0);
}

}  // namespace

bool is_of_whole_file(CXCursor declared) {
  auto around = clang_getCursorSemanticParent(declared);
  while (is_open_block(around)) around = clang_getCursorSemanticParent(around);
  return clang_getCursorKind(around) == CXCursor_TranslationUnit;
}

translation::translation(const source& from, const std::string& file, const std::string& prelude,
                         unsigned options)
    : index_(clang_createIndex(0, 0)) {
  const auto& text = from.text;
  std::vector arguments{
      "-x", "c++", "-std=c++17", "-include", prelude_name, "-Werror=return-type", "-fparse-all-comments"};
  // Extensions that not all compilers of generated code accept.
  for (const auto* extension : {"-Werror=gnu-statement-expression", "-Werror=gnu-conditional-omitted-operand",
                                "-Werror=gnu-case-range", "-Werror=c99-designator",
                                "-Wno-error=c++20-designator", "-Werror=reorder-init-list"})
    arguments.push_back(extension);
  // Only the headers of C, which declare no overloads.
  if (from.written_in == language::c) arguments.push_back("-nostdinc++");
  std::array<CXUnsavedFile, 2> files{
      CXUnsavedFile{buffer_name, text.c_str(), static_cast<unsigned long>(text.size())},
      CXUnsavedFile{prelude_name, prelude.c_str(), static_cast<unsigned long>(prelude.size())}};
  const auto failure =
      clang_parseTranslationUnit2(index_, buffer_name, arguments.data(), static_cast<int>(arguments.size()),
                                  files.data(), static_cast<unsigned>(files.size()), options, &unit_);
  if (failure != CXError_Success || unit_ == nullptr) {
    clang_disposeIndex(index_);
    throw internal_error(file + ": libclang could not read it");
  }
}

translation::~translation() {
  clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

bool declares_type(CXCursor cursor) {
  const auto kind = clang_getCursorKind(cursor);
  return kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl || kind == CXCursor_StructDecl ||
         kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl;
}

namespace {

std::vector<std::pair<CXTokenKind, std::string>> tokens_of(CXTranslationUnit unit, CXCursor cursor) {
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(cursor), &tokens, &count);
  std::vector<std::pair<CXTokenKind, std::string>> result;
  for (unsigned i = 0; i < count; ++i)
    result.emplace_back(clang_getTokenKind(tokens[i]), taken(clang_getTokenSpelling(unit, tokens[i])));
  clang_disposeTokens(unit, tokens, count);
  return result;
}

/// A function-like macro whose text uses no other names; otherwise nothing.
std::optional<system_macro> self_contained(CXTranslationUnit unit, CXCursor definition) {
  system_macro result{name_of(definition), "", ""};
  std::set<std::string> arguments;
  bool in_text = false;
  const auto tokens = tokens_of(unit, definition);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const auto& [kind, text] = tokens[i];
    if (!in_text) {
      result.arguments += text;
      if (kind == CXToken_Identifier) arguments.insert(text);
      in_text = text == ")";
      continue;
    }
    const bool suffix = tokens[i - 1].second == "##";  // the L of c ## L
    if (kind == CXToken_Identifier && !arguments.contains(text) && !suffix) return {};
    result.value += (result.value.empty() ? "" : " ") + text;
  }
  return result;
}

bool is_number(CXType type) {
  switch (type.kind) {
    case CXType_Bool:
    case CXType_Char_S:
    case CXType_Char_U:
    case CXType_SChar:
    case CXType_UChar:
    case CXType_Short:
    case CXType_UShort:
    case CXType_Int:
    case CXType_UInt:
    case CXType_Long:
    case CXType_ULong:
    case CXType_LongLong:
    case CXType_ULongLong:
    case CXType_Float:
    case CXType_Double:
      return true;
    default:
      return false;
  }
}

/// Records a system header's declaration if generated code can use it.
void take_of_system(outline& result, CXTranslationUnit unit, CXCursor declared) {
  const auto name = name_of(declared);
  if (clang_getCursorKind(declared) == CXCursor_MacroDefinition) {
    if (clang_Cursor_isMacroFunctionLike(declared) == 0)
      result.system_constants.push_back(name);
    else if (const auto macro = self_contained(unit, declared))
      result.system_macros.push_back(*macro);
  }
  if (clang_getCursorKind(declared) != CXCursor_TypedefDecl) return;
  const auto type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(declared));
  const auto known = [&](const system_type& each) { return each.name == name; };
  if (is_number(type) && std::ranges::none_of(result.system_types, known))
    result.system_types.push_back({name, taken(clang_getTypeSpelling(type))});
}

}  // namespace

outline outline_of(const source& from, const std::string& file) {
  const translation parsed(from, file, "",
                           CXTranslationUnit_DetailedPreprocessingRecord |
                               CXTranslationUnit_SkipFunctionBodies | CXTranslationUnit_KeepGoing);
  outline result;
  auto* const skipped = clang_getSkippedRanges(parsed.get(), clang_getFile(parsed.get(), buffer_name));
  for (unsigned i = 0; i < skipped->count; ++i)
    result.skipped.push_back({expanded_offset(clang_getRangeStart(skipped->ranges[i])),
                              expanded_offset(clang_getRangeEnd(skipped->ranges[i]))});
  clang_disposeSourceRangeList(skipped);
  const auto words = words_of(from.text);
  const std::set<std::string> used(words.begin(), words.end());
  for (const auto& each : children_of(clang_getTranslationUnitCursor(parsed.get()))) {
    if (!is_users(each)) {
      if (used.contains(name_of(each))) take_of_system(result, parsed.get(), each);
      continue;
    }
    if (declares_type(each)) result.types.push_back(name_of(each));
    if (clang_getCursorKind(each) == CXCursor_FunctionDecl) result.functions.push_back(name_of(each));
  }
  return result;
}

std::vector<system_macro> values_of(const source& from, const std::string& file,
                                    const std::vector<std::string>& macros) {
  if (macros.empty()) return {};
  const std::string prefix = "macareu_value_";
  auto asking = from;
  for (std::size_t k = 0; k < macros.size(); ++k)
    asking.text += "\nstatic const auto " + prefix + std::to_string(k) + " = (" + macros[k] + ");";
  asking.text += "\n";
  const translation parsed(asking, file, "", CXTranslationUnit_KeepGoing);
  std::vector<system_macro> result;
  for (const auto& each : children_of(clang_getTranslationUnitCursor(parsed.get()))) {
    const auto name = name_of(each);
    if (clang_getCursorKind(each) != CXCursor_VarDecl || !name.starts_with(prefix)) continue;
    const auto value = literal_of(each);
    if (!value.empty()) result.push_back({macros[std::stoul(name.substr(prefix.size()))], value, ""});
  }
  return result;
}

unit::unit(const source& from, const std::string& file, const std::string& prelude)
    : text_(from.text), parsed_(from, file, prelude, CXTranslationUnit_None) {
  check();
  add_declarations(clang_getTranslationUnitCursor(parsed_.get()));
}

void unit::add_declarations(CXCursor around) {
  for (const auto& each : children_of(around)) {
    if (!is_users(each)) continue;
    if (is_open_block(each))
      add_declarations(each);
    else
      declarations_.push_back(each);
  }
}

void unit::check() const {
  for (unsigned i = 0; i < clang_getNumDiagnostics(parsed_.get()); ++i) {
    const auto each = clang_getDiagnostic(parsed_.get(), i);
    const bool is_error = clang_getDiagnosticSeverity(each) >= CXDiagnostic_Error;
    const auto message = taken(clang_getDiagnosticSpelling(each));
    const auto where = presumed(clang_getDiagnosticLocation(each));
    clang_disposeDiagnostic(each);
    if (is_error) throw usage_error(to_string(where) + message + "; " + expectation_for(message));
  }
}

bool is_users(CXCursor cursor) {
  // Builtins are declared where they are first used, so their location is in the user's file.
  if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl && name_of(cursor).starts_with("__builtin_"))
    return false;
  CXFile file = nullptr;
  clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, nullptr, nullptr, nullptr);
  return file != nullptr && taken(clang_getFileName(file)) == buffer_name;
}

range unit::range_of(CXCursor cursor) const {
  const auto extent = clang_getCursorExtent(cursor);
  return {expanded_offset(clang_getRangeStart(extent)), expanded_offset(clang_getRangeEnd(extent))};
}

std::optional<range> unit::plain_range_of(CXCursor cursor) const {
  const auto extent = clang_getCursorExtent(cursor);
  const auto begin = clang_getRangeStart(extent), end = clang_getRangeEnd(extent);
  if (spelled_offset(begin) != expanded_offset(begin) || spelled_offset(end) != expanded_offset(end))
    return {};
  return range{expanded_offset(begin), expanded_offset(end)};
}

std::string unit::text_of(CXCursor cursor) const {
  const auto [begin, end] = range_of(cursor);
  return text_.substr(begin, end - begin);
}

std::string unit::comment_before(CXCursor cursor) {
  const auto comment = taken(clang_Cursor_getRawCommentText(cursor));
  return comment.empty() ? "" : comment + "\n";
}

}  // namespace macareu::converter
