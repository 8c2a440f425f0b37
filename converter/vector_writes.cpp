#include "vector_writes.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

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

  std::vector<edit> result;

 private:
  struct step {
    CXCursor cursor;
    bool converts;  ///< an implicit conversion of the operand, as in a condition
  };

  void use(CXCursor reference) {
    std::vector<step> chain;  // from the inside: element, operation, enclosing statement
    bool converts = false;
    for (auto each = above_.rbegin(); each != above_.rend() && chain.size() < 4; ++each) {
      const auto kind = clang_getCursorKind(*each);
      if (kind == CXCursor_UnexposedExpr)
        converts = true;
      else if (kind != CXCursor_ParenExpr)
        chain.push_back({*each, std::exchange(converts, false)});
    }
    if (chain.size() < 3 || clang_getCursorKind(chain[0].cursor) != CXCursor_ArraySubscriptExpr)
      refuse_use(reference);
    const auto element = file_.plain_range_of(chain[0].cursor);
    const auto operation = file_.plain_range_of(chain[1].cursor);
    if (!element || !operation) refuse_use(reference);
    const auto before = trimmed(text(operation->begin, element->begin));
    const auto after = trimmed(text(element->end, operation->end));
    const auto kind = clang_getCursorKind(chain[1].cursor);
    const auto holder = chain[2].cursor;
    if (kind == CXCursor_UnaryOperator && before == "&" && after.empty() && chain.size() == 4 &&
        clang_getCursorKind(holder) == CXCursor_CallExpr && name_of(holder) == "atomicAdd") {
      if (!is_statement(chain[3])) refuse_use(reference);
      return check_addend(clang_Cursor_getArgument(holder, 1));
    }
    if (!is_statement(chain[2])) refuse_use(reference);
    if (kind == CXCursor_CompoundAssignOperator && before.empty() && after.starts_with("+=")) {
      check_addend(children_of(chain[1].cursor).back());
      const auto sum = file_.text().find_first_not_of(" \t\r\n", file_.text().find("+=", element->end) + 2);
      become_addition(*element, *operation, ", ", sum);
    } else if (kind == CXCursor_UnaryOperator && before + after == "++") {
      become_addition(*element, *operation, ", 1", operation->end);
    } else {
      refuse_use(reference);
    }
  }

  /// Adding a float to the vector would round after the addition, atomicAdd before it.
  void check_addend(CXCursor addend) const {
    const auto type = written_type(addend);
    if (type != CXType_Float && type != CXType_Double && type != CXType_LongDouble) return;
    refuse(addend, "a number that is not an integer is added to '" + name_of(vector_) + "'",
           "an integer, such as (int)(...)");
  }

  /// Edits only the text around element and addend, because other edits may lie inside them.
  void become_addition(const range& element, const range& operation, const std::string& between,
                       std::size_t addend) {
    result.push_back({{operation.begin, element.begin}, "atomicAdd(&"});
    result.push_back({{element.end, addend}, between});
    result.push_back({{operation.end, operation.end}, ")"});
  }

  /// Whether the value of the operation is unused. In a condition it would be converted to bool.
  static bool is_statement(const step& holder) {
    switch (clang_getCursorKind(holder.cursor)) {
      case CXCursor_CompoundStmt:
      case CXCursor_CaseStmt:
      case CXCursor_DefaultStmt:
      case CXCursor_IfStmt:
      case CXCursor_WhileStmt:
      case CXCursor_ForStmt:
      case CXCursor_DoStmt:
        return !holder.converts;
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
};

}  // namespace

std::vector<edit> atomic_writes(const unit& file, CXCursor function, CXCursor vector) {
  writes all(file, vector);
  for (const auto& child : children_of(function)) all.visit(child);
  return std::move(all.result);
}

}  // namespace macareu::converter
