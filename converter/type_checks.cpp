#include "type_checks.hpp"

#include <algorithm>
#include <string_view>

namespace macareu::converter {
namespace {

bool is_in_namespace(CXCursor declared) {
  for (auto around = clang_getCursorSemanticParent(declared); clang_Cursor_isNull(around) == 0;
       around = clang_getCursorSemanticParent(around))
    if (clang_getCursorKind(around) == CXCursor_Namespace && clang_Cursor_isAnonymous(around) == 0)
      return true;
  return false;
}

bool is_record(CXType type) { return clang_getCanonicalType(type).kind == CXType_Record; }

/// All fields, unnamed ones included.
std::vector<CXCursor> all_fields_of(CXType record) {
  std::vector<CXCursor> fields;
  clang_Type_visitFields(
      record,
      [](CXCursor field, CXClientData list) {
        static_cast<std::vector<CXCursor>*>(list)->push_back(field);
        return CXVisit_Continue;
      },
      &fields);
  return fields;
}

long long natural_alignment(CXType type) {
  type = clang_getCanonicalType(type);
  while (clang_getArrayElementType(type).kind != CXType_Invalid)
    type = clang_getCanonicalType(clang_getArrayElementType(type));
  if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference) return alignof(void*);
  if (!is_record(type)) return clang_Type_getAlignOf(type);
  long long widest = 1;
  for (const auto& member : children_of(clang_getTypeDeclaration(type)))
    if (clang_getCursorKind(member) == CXCursor_CXXBaseSpecifier)
      widest = std::max(widest, natural_alignment(clang_getCursorType(member)));
  for (const auto& field : all_fields_of(type)) {
    const bool fills = clang_Cursor_isBitField(field) != 0 && name_of(field).empty();
    if (!fills) widest = std::max(widest, natural_alignment(clang_getCursorType(field)));
  }
  return widest;
}

/// Whether a bit-field straddles two storage units, which only packing allows.
bool is_torn(CXCursor field) {
  if (clang_Cursor_isBitField(field) == 0) return false;
  const auto unit = 8 * clang_Type_getSizeOf(clang_getCursorType(field));
  return clang_Cursor_getOffsetOfField(field) % unit + clang_getFieldDeclBitWidth(field) > unit;
}

/// `packed` has no effect on a struct of bytes.
bool is_laid_out_plainly(CXCursor record) {
  const auto type = clang_getCursorType(record);
  const auto alignment = clang_Type_getAlignOf(type);
  if (alignment < 0) return true;  // an incomplete type is never instantiated
  const auto has_attribute = [](const CXCursor& member) {
    const auto kind = clang_getCursorKind(member);
    return kind == CXCursor_PackedAttr || kind == CXCursor_AlignedAttr;
  };
  return alignment == natural_alignment(type) && std::ranges::none_of(all_fields_of(type), is_torn) &&
         (alignment == 1 || std::ranges::none_of(children_of(record), has_attribute));
}

bool has_no_attributes(CXCursor declared) {
  return std::ranges::none_of(children_of(declared), [](const CXCursor& child) {
    return clang_isAttribute(clang_getCursorKind(child)) != 0;
  });
}

/// Whether a type qualifies the name, as in color::red.
bool names_type(CXCursor use) {
  return std::ranges::any_of(
      children_of(use), [](const CXCursor& child) { return clang_getCursorKind(child) == CXCursor_TypeRef; });
}

}  // namespace

void check_namespace(CXCursor use, CXCursor used) {
  if (clang_Cursor_isNull(used) != 0 || !is_users(used)) return;
  const auto kind = clang_getCursorKind(used);
  if (kind == CXCursor_NamespaceAlias || kind == CXCursor_Namespace)
    refuse(use, "namespace '" + name_of(used) + "' of this file, which generated code does not have",
           "names outside all namespaces of the file");
  if (kind == CXCursor_ClassTemplate || kind == CXCursor_TypeAliasTemplateDecl)
    refuse(use, "'" + name_of(used) + "' is a template", "a type without arguments");
  if (is_in_namespace(used))
    refuse(use, "'" + name_of(used) + "' stands in a namespace",
           "types, constants and functions outside all namespaces");
}

void check_names_in(CXCursor type) {
  const auto used = clang_getCursorReferenced(type);
  check_namespace(type, used);
  const auto kind = clang_getCursorKind(used);
  if (clang_getCursorKind(type) == CXCursor_DeclRefExpr &&
      (kind == CXCursor_VarDecl || kind == CXCursor_FunctionDecl) && is_users(used) && is_of_whole_file(used))
    refuse(type,
           "'" + name_of(used) + "' in a type outside the functions, where only types and macros are known",
           "a number, a #define or an enum");
  for (const auto& child : children_of(type)) check_names_in(child);
}

void check_unqualified(const unit& file, CXCursor kept) {
  const auto kind = clang_getCursorKind(kept);
  const auto used = clang_getCursorReferenced(kept);
  const bool constant = clang_getCursorKind(used) == CXCursor_EnumConstantDecl;
  if ((kind == CXCursor_TypeRef || kind == CXCursor_DeclRefExpr) && is_users(used) &&
      is_of_whole_file(constant ? clang_getCursorSemanticParent(used) : used)) {
    const auto before = std::string_view(file.text()).substr(0, written_offset(kept));
    if (before.substr(0, before.find_last_not_of(" \t\r\n") + 1).ends_with("::") && !names_type(kept))
      refuse(kept, "'::" + name_of(used) + "' names what generated code has inside a namespace",
             "'" + name_of(used) + "' alone");
  }
  for (const auto& child : children_of(kept)) check_unqualified(file, child);
}

void check_plain(CXCursor type) {
  const auto kind = clang_getCursorKind(type);
  const bool of_members =
      kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl;
  if (of_members ? is_laid_out_plainly(type) : has_no_attributes(type)) return;
  const auto name = taken(clang_getTypeSpelling(clang_getCursorType(type)));
  const bool unnamed = name.find('(') != std::string::npos;
  refuse(type,
         (unnamed ? "a type" : "'" + name + "'") +
             ", which the function uses, has a layout or attributes of its own",
         "a plain type, without packing or alignment");
}

}  // namespace macareu::converter
