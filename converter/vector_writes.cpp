#include "vector_writes.hpp"

#include <algorithm>

namespace macareu::converter {
namespace {

std::string trimmed(std::string text) {
  const auto space = [](unsigned char c) { return std::isspace(c); };
  text.erase(text.begin(), std::ranges::find_if_not(text, space));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), space).base(), text.end());
  return text;
}

class writes {
 public:
  writes(const unit& file, CXCursor vector) : file_(file), vector_(vector) {}

  void visit(CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(cursor), vector_) != 0)
      use(cursor);
    above_.push_back(cursor);
    for (const auto& child : children_of(cursor)) visit(child);
    above_.pop_back();
  }

  /// The function's text after all replacements.
  std::string applied(CXCursor function) const {
    const auto all = file_.range_of(function);
    auto text = file_.text_of(function);
    for (auto each = changes_.rbegin(); each != changes_.rend(); ++each)
      text.replace(each->where.begin - all.begin, each->where.end - each->where.begin, each->text);
    return text;
  }

 private:
  struct change {
    range where;
    std::string text;
  };

  void use(CXCursor reference) {
    std::vector<CXCursor> chain;  // from the inside: element, operation, and what holds it
    for (auto each = above_.rbegin(); each != above_.rend() && chain.size() < 3; ++each) {
      const auto kind = clang_getCursorKind(*each);
      if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr) chain.push_back(*each);
    }
    if (chain.size() < 3 || clang_getCursorKind(chain[0]) != CXCursor_ArraySubscriptExpr)
      refuse_use(reference);
    const auto element = file_.plain_range_of(chain[0]), operation = file_.plain_range_of(chain[1]);
    if (!element || !operation) refuse_use(reference);
    const auto before = trimmed(text(operation->begin, element->begin));
    const auto after = trimmed(text(element->end, operation->end));
    const auto target = text(element->begin, element->end);
    const auto kind = clang_getCursorKind(chain[1]);
    if (kind == CXCursor_UnaryOperator && before == "&" && after.empty() &&
        clang_getCursorKind(chain[2]) == CXCursor_CallExpr && name_of(chain[2]) == "atomicAdd")
      return;
    if (!is_statement(chain[1], chain[2])) refuse_use(reference);
    if (kind == CXCursor_CompoundAssignOperator && before.empty() && after.starts_with("+="))
      changes_.push_back({*operation, "atomicAdd(&" + target + ", " + trimmed(after.substr(2)) + ")"});
    else if (kind == CXCursor_UnaryOperator && before + after == "++")
      changes_.push_back({*operation, "atomicAdd(&" + target + ", 1)"});
    else
      refuse_use(reference);
  }

  /// Whether nobody looks at the value of the operation.
  static bool is_statement(CXCursor operation, CXCursor holder) {
    switch (clang_getCursorKind(holder)) {
      case CXCursor_CompoundStmt:
      case CXCursor_CaseStmt:
      case CXCursor_DefaultStmt:
        return true;
      case CXCursor_IfStmt:
      case CXCursor_WhileStmt:
        return clang_equalCursors(children_of(holder).front(), operation) == 0;
      case CXCursor_ForStmt:
      case CXCursor_DoStmt:
        return clang_equalCursors(children_of(holder).back(), operation) ==
               (clang_getCursorKind(holder) == CXCursor_ForStmt ? 1U : 0U);
      default:
        return false;
    }
  }

  std::string text(std::size_t begin, std::size_t end) const {
    return file_.text().substr(begin, end - begin);
  }

  [[noreturn]] void refuse_use(CXCursor where) const {
    const auto name = name_of(vector_);
    refuse(where, "'" + name + "' is used in another way than by adding to an element",
           name + "[i] += w; " + name + "[i]++; or atomicAdd(&" + name + "[i], w); as a statement");
  }

  const unit& file_;
  CXCursor vector_;
  std::vector<CXCursor> above_;
  std::vector<change> changes_;
};

}  // namespace

std::string with_atomic_writes(const unit& file, CXCursor function, CXCursor vector) {
  writes all(file, vector);
  for (const auto& child : children_of(function)) all.visit(child);
  return all.applied(function);
}

}  // namespace macareu::converter
