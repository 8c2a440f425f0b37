#include "signature.hpp"

#include <algorithm>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"

namespace macareu::converter {
namespace {

std::string expected_of(category kind) {
  switch (kind) {
    case category::p2p:
      return "static unsigned char f(unsigned char pixel, int index), with more pixels before the index for more "
             "images, other pixel types, and the #STRUCT as last parameter where there is one";
    case category::n2p:
      return "static unsigned char f(unsigned char pixel[3][3], int x, int y), or pixel[3][3][3] with int x, int y, "
             "int z, odd sizes up to 31, other pixel types, and the #STRUCT as last parameter where there is one";
    case category::r2s:
      return "static T f(E pixel1, E pixel2), or one type throughout such as static int f(int a, int b), and the "
             "#STRUCT as last parameter where there is one";
    case category::r2v:
      return "static void f(unsigned char pixel, int* saida, int bins), other pixel types, unsigned int* or unsigned "
             "long long* saida, and the #STRUCT as last parameter where there is one";
    case category::iwpp:
      return "static unsigned char offer(unsigned char state, unsigned char capacity) and static int better(unsigned "
             "char a, unsigned char b), other types, and the #STRUCT as last parameter where there is one";
  }
  throw internal_error("no such category");
}

std::optional<dtype> number_type(CXType type) {
  const auto size = clang_Type_getSizeOf(type);
  switch (type.kind) {
    case CXType_Bool:
      return dtype::boolean;
    case CXType_SChar:
      return dtype::i8;
    case CXType_UChar:
      return dtype::u8;
    case CXType_Short:
      return dtype::i16;
    case CXType_UShort:
      return dtype::u16;
    case CXType_Int:
      return dtype::i32;
    case CXType_UInt:
      return dtype::u32;
    case CXType_Long:
    case CXType_LongLong:
      return size == 8 ? dtype::i64 : dtype::i32;
    case CXType_ULong:
    case CXType_ULongLong:
      return size == 8 ? dtype::u64 : dtype::u32;
    case CXType_Float:
      return dtype::f32;
    case CXType_Double:
      return dtype::f64;
    default:
      return {};
  }
}

/// Refuses plain char as pixel or parameter: its signedness depends on the machine.
void check_sign(CXType canonical, CXCursor where) {
  if (canonical.kind == CXType_Char_S || canonical.kind == CXType_Char_U)
    refuse(where, "'char' has a sign on some machines and none on others", "signed char or unsigned char");
}

/// Members must be public and writable, because results and parameters are assigned one by one.
void check_member(CXCursor field, const std::string& holder) {
  if (clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(field))) != 0)
    refuse(field, "'" + name_of(field) + "' in the " + holder + " is const", "a member that can be written");
  if (clang_getCXXAccessSpecifier(field) != CX_CXXPublic)
    refuse(field, "'" + name_of(field) + "' in the " + holder + " is not public", "public members only");
}

CXType plain(CXType type) { return clang_getCanonicalType(type); }

/// The spelling without const and volatile, which are irrelevant for a copied value.
std::string spelled(CXType type) {
  auto text = taken(clang_getTypeSpelling(type));
  for (const std::string_view qualifier : {"const ", "volatile "})
    if (text.starts_with(qualifier)) text.erase(0, qualifier.size());
  return text;
}

bool is_same_record(CXType one, CXType other) {
  return clang_equalCursors(clang_getTypeDeclaration(plain(one)), clang_getTypeDeclaration(plain(other))) !=
         0;
}

/// The pointee of a parameter, where arrays count as pointers; invalid for other types.
CXType pointee_of(CXType type) {
  const auto canonical = plain(type);
  return canonical.kind == CXType_Pointer ? clang_getPointeeType(canonical)
                                          : clang_getArrayElementType(canonical);
}

std::vector<CXCursor> fields_of(CXType record) {
  std::vector<CXCursor> fields;
  for (const auto& child : children_of(clang_getTypeDeclaration(record)))
    if (clang_getCursorKind(child) == CXCursor_FieldDecl) fields.push_back(child);
  return fields;
}

/// A parameter list read from the front, without the parameter struct at its end.
class parameters {
 public:
  parameters(const description& about, CXCursor function, CXType parameter_struct)
      : kind_(about.kind), function_(function) {
    for (int i = 0; i < clang_Cursor_getNumArguments(function); ++i)
      all_.push_back(clang_Cursor_getArgument(function, static_cast<unsigned>(i)));
    if (all_.size() < 2 || parameter_struct.kind == CXType_Invalid) return;
    if (!is_same_record(clang_getCursorType(all_.back()), parameter_struct)) return;
    all_.pop_back();
    has_struct_ = true;
  }

  bool has_struct() const { return has_struct_; }
  std::size_t count() const { return all_.size(); }
  CXCursor cursor(std::size_t i) const { return all_[i]; }
  CXType type(std::size_t i) const { return clang_getCursorType(all_[i]); }
  std::string name() const { return name_of(function_); }
  CXType result() const { return clang_getCursorResultType(function_); }

  value_type value(std::size_t i) const { return value_type_of(type(i), all_[i]); }
  value_type result_value() const { return value_type_of(result(), function_); }

  bool is_int(std::size_t i) const { return plain(type(i)).kind == CXType_Int; }

  [[noreturn]] void refuse_it(const std::string& what) const {
    refuse(function_, "'" + name_of(function_) + "' " + what, expected_of(kind_));
  }

  /// An unmarked struct in last place gets a specific message instead of "wrong number of parameters".
  void check_marked() const {
    if (has_struct_ || all_.size() < 3) return;
    const auto last = plain(type(all_.size() - 1));
    if (last.kind == CXType_Record)
      refuse(all_.back(), "'" + spelled(type(all_.size() - 1)) + "' is not marked",
             "#STRUCT before its definition");
    if (plain(pointee_of(last)).kind == CXType_Record)
      refuse(all_.back(), "the parameter struct is a pointer",
             "the struct itself: it is copied to every device");
  }

 private:
  category kind_;
  CXCursor function_;
  std::vector<CXCursor> all_;
  bool has_struct_ = false;
};

void read_p2p(description& about, const parameters& given) {
  given.check_marked();
  if (given.count() < 2) given.refuse_it("has too few parameters");
  const auto last = given.count() - 1;
  const auto index = plain(given.type(last));
  about.wide_index = index.kind == CXType_LongLong || index.kind == CXType_Long;
  if (index.kind != CXType_Int && !about.wide_index)
    given.refuse_it("has no index: parameter " + std::to_string(last + 1) + " is " +
                    spelled(given.type(last)));
  if (last > 8) given.refuse_it("takes more than 8 images");
  about.inputs = static_cast<int>(last);
  about.pixel = given.value(0);
  for (std::size_t i = 1; i < last; ++i)
    if (given.value(i) != about.pixel) given.refuse_it("takes images of different types");
  about.result = given.result_value();
}

void read_n2p(description& about, const parameters& given) {
  given.check_marked();
  if (given.count() < 3) given.refuse_it("has too few parameters");
  auto type = plain(given.type(0));
  for (; type.kind == CXType_ConstantArray; type = clang_getArrayElementType(type))
    about.window.push_back(static_cast<int>(clang_getArraySize(type)));
  const auto rank = about.window.size();
  if (rank != 2 && rank != 3) given.refuse_it("takes no window of 2 or 3 axes");
  for (const int size : about.window)
    if (size < 1 || size % 2 == 0 || size > widest_window)
      given.refuse_it("has a window of size " + std::to_string(size) + ", which must be odd and at most " +
                      std::to_string(widest_window));
  if (given.count() != rank + 1) given.refuse_it("has the wrong number of parameters");
  for (std::size_t i = 1; i <= rank; ++i)
    if (!given.is_int(i)) given.refuse_it("has a position that is not int");
  about.pixel = value_type_of(type, given.cursor(0));
  about.result = given.result_value();
}

void read_r2s(description& about, const parameters& given) {
  given.check_marked();
  if (given.count() != 2) given.refuse_it("has the wrong number of parameters");
  about.generic =
      spelled(given.type(0)) == "E" && spelled(given.type(1)) == "E" && spelled(given.result()) == "T";
  about.pixel = given.value(0);
  about.result = given.result_value();
  if (about.generic && given.name() == "reduction")
    given.refuse_it("is named as the class that generated code puts it in; choose another name");
  if (about.generic) return;
  if (about.result.channels != 1) given.refuse_it("returns a colour, and a reduction gives one number");
  if (given.value(1) != about.pixel) given.refuse_it("takes pixels of different types");
  if (about.pixel != about.result)
    given.refuse_it("returns another type than it takes, so that results of parts cannot be joined by it");
}

void read_r2v(description& about, const parameters& given) {
  given.check_marked();
  if (given.count() != 3) given.refuse_it("has the wrong number of parameters");
  if (plain(given.result()).kind != CXType_Void) given.refuse_it("returns a value");
  about.pixel = given.value(0);
  const auto element = pointee_of(given.type(1));
  if (element.kind == CXType_Invalid) given.refuse_it("has no vector as second parameter");
  if (element.kind != CXType_Int && element.kind != CXType_UInt && element.kind != CXType_ULongLong)
    given.refuse_it("has a vector of " + spelled(element) + ", which cannot be added to in any order");
  about.result = value_type_of(element, given.cursor(1));
  if (!given.is_int(2)) given.refuse_it("has no int bins as third parameter");
}

void read_offer(description& about, const parameters& given) {
  given.check_marked();
  if (given.count() != 2) given.refuse_it("has the wrong number of parameters");
  about.inputs = 2;
  about.pixel = given.value(0);
  about.capacity = given.value(1);
  about.result = given.result_value();
  if (about.result != about.pixel) given.refuse_it("does not return the type of its state");
  if (about.pixel.channels != 1 || about.capacity.channels != 1) given.refuse_it("takes colour");
}

}  // namespace

value_type value_type_of(CXType type, CXCursor where) {
  const auto canonical = plain(type);
  if (canonical.kind == CXType_Bool) refuse(where, "bool is no pixel", "unsigned char, such as 0 and 255");
  if (const auto number = number_type(canonical)) return {*number, spelled(canonical), 1};
  check_sign(canonical, where);
  constexpr auto pixel =
      "a number of at most 64 bits, or a struct of 2 to 16 members of one type, such as red, green and blue";
  if (canonical.kind != CXType_Record) refuse(where, "'" + spelled(type) + "' is no pixel", pixel);
  const auto fields = fields_of(canonical);
  std::optional<dtype> common;
  for (const auto& field : fields) {
    const auto member = number_type(plain(clang_getCursorType(field)));
    if (!member || (common && common != member)) refuse(where, "'" + spelled(type) + "' is no pixel", pixel);
    check_member(field, "pixel '" + spelled(type) + "'");
    common = member;
  }
  if (fields.size() < 2 || fields.size() > 16 ||
      clang_Type_getSizeOf(canonical) != static_cast<long long>(fields.size() * size_of(*common)))
    refuse(where, "'" + spelled(type) + "' is no pixel", pixel);
  return {*common, spelled(type), static_cast<int>(fields.size())};
}

/// Every device receives the members one after another, at multiples of their size.
void check_layout(CXType parameter_struct) {
  const auto canonical = plain(parameter_struct);
  const auto where = clang_getTypeDeclaration(canonical);
  const auto next = [](long long end, long long size) { return ceil_div(end, size) * size; };
  long long end = 0, widest = 1;
  bool natural = where.kind != CXCursor_UnionDecl;
  for (const auto& field : fields_of(canonical)) {
    const auto size = clang_Type_getSizeOf(clang_getCursorType(field));
    const auto at = next(end, size);
    natural = natural && clang_Cursor_getOffsetOfField(field) == 8 * at;
    end = at + size;
    widest = std::max(widest, size);
  }
  if (!natural || clang_Type_getSizeOf(canonical) != std::max(next(end, widest), 1ll))
    refuse(where, "parameter struct '" + spelled(parameter_struct) + "' has a layout of its own",
           "a plain struct, and no union, packing or alignment");
}

void read_signature(description& about, CXCursor function, CXType parameter_struct) {
  const parameters given(about, function, parameter_struct);
  switch (about.kind) {
    case category::p2p:
      read_p2p(about, given);
      break;
    case category::n2p:
      read_n2p(about, given);
      break;
    case category::r2s:
      read_r2s(about, given);
      break;
    case category::r2v:
      read_r2v(about, given);
      break;
    case category::iwpp:
      read_offer(about, given);
      break;
  }
  if (!given.has_struct()) return;
  about.parameter_struct = spelled(parameter_struct);
  for (const auto& field : fields_of(plain(parameter_struct))) {
    const auto type = clang_getCursorType(field);
    const auto number = number_type(plain(type));
    if (plain(type).kind == CXType_Pointer)
      refuse(field, "pointer '" + name_of(field) + "' in the parameter struct",
             "numbers only: the struct is copied to every device");
    check_sign(plain(type), field);
    if (!number || clang_getFieldDeclBitWidth(field) >= 0)
      refuse(field, "'" + name_of(field) + "' of type " + spelled(type) + " in the parameter struct",
             "bool, integers of at most 64 bits, float and double only");
    check_member(field, "parameter struct");
    about.parameters.push_back({name_of(field), *number});
  }
  check_layout(parameter_struct);
}

void check_better(const description& about, CXCursor function, CXType parameter_struct) {
  const parameters given(about, function, parameter_struct);
  given.check_marked();
  if (given.count() != 2 || given.value(0) != about.pixel || given.value(1) != about.pixel)
    given.refuse_it("does not compare two states");
  if (given.has_struct() != !about.parameter_struct.empty())
    given.refuse_it("and offer do not both take the #STRUCT");
  const auto result = plain(given.result()).kind;
  if (result != CXType_Int && result != CXType_Bool) given.refuse_it("returns neither int nor bool");
}

}  // namespace macareu::converter
