#include "body_checks.hpp"

#include <algorithm>
#include <set>

#include "math_arguments.hpp"
#include "type_checks.hpp"

namespace macareu::converter {
namespace {

using names = std::set<std::string, std::less<>>;

const names allocation{"malloc", "calloc",           "realloc",       "free",
                       "alloca", "__builtin_alloca", "aligned_alloc", "strdup"};
const names input_output{"printf",  "fprintf", "sprintf", "snprintf", "puts",  "putchar", "fputs", "fputc",
                         "fopen",   "fclose",  "fread",   "fwrite",   "scanf", "fscanf",  "gets",  "fgets",
                         "getchar", "perror",  "system",  "read",     "write", "open",    "close"};
/// Names that generated code defines around the user's code.
const names reserved{"RULE", "atomicAdd"};
const names streams{"cout", "cerr", "clog", "cin"};
/// Functions that CPUs and GPUs both provide.
const names mathematics{
    "abs",        "acos",    "acosf",   "acosh",     "acoshf",     "asin",      "asinf",    "asinh",
    "asinhf",     "atan",    "atan2",   "atan2f",    "atanf",      "atanh",     "atanhf",   "atomicAdd",
    "cbrt",       "cbrtf",   "ceil",    "ceilf",     "copysign",   "copysignf", "cos",      "cosf",
    "cosh",       "coshf",   "erf",     "erfc",      "erfcf",      "erff",      "exp",      "exp2",
    "exp2f",      "expf",    "expm1",   "expm1f",    "fabs",       "fabsf",     "fdim",     "fdimf",
    "floor",      "floorf",  "fma",     "fmaf",      "fmax",       "fmaxf",     "fmin",     "fminf",
    "fmod",       "fmodf",   "hypot",   "hypotf",    "isfinite",   "isinf",     "isnan",    "labs",
    "lgamma",     "lgammaf", "llabs",   "llrint",    "llrintf",    "llround",   "llroundf", "log",
    "log10",      "log10f",  "log1p",   "log1pf",    "log2",       "log2f",     "logf",     "lrint",
    "lrintf",     "lround",  "lroundf", "nearbyint", "nearbyintf", "pow",       "powf",     "remainder",
    "remainderf", "rint",    "rintf",   "round",     "roundf",     "signbit",   "sin",      "sinf",
    "sinh",       "sinhf",   "sqrt",    "sqrtf",     "tan",        "tanf",      "tanh",     "tanhf",
    "tgamma",     "tgammaf", "trunc",   "truncf"};

/// The builtins behind NAN, INFINITY and HUGE_VAL.
const names constants{"__builtin_nan", "__builtin_nanf", "__builtin_inff", "__builtin_huge_val",
                      "__builtin_huge_valf"};

bool is_global(CXCursor variable) {
  const auto parent = clang_getCursorKind(clang_getCursorSemanticParent(variable));
  return clang_getCursorKind(variable) == CXCursor_VarDecl &&
         (is_of_whole_file(variable) || parent == CXCursor_Namespace || parent == CXCursor_StructDecl ||
          parent == CXCursor_ClassDecl);
}

/// Members with code of their own. Defaulted members are allowed: each compiler generates them for its
/// device.
const char* code_member(CXCursor member) {
  if (clang_CXXMethod_isDefaulted(member) != 0) return nullptr;
  switch (clang_getCursorKind(member)) {
    case CXCursor_Constructor:
      return "a constructor";
    case CXCursor_Destructor:
      return "a destructor";
    case CXCursor_CXXMethod:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate:
      return "a function";
    default:
      return nullptr;
  }
}

/// The element type of nested arrays and pointers.
CXType innermost(CXType type) {
  for (type = clang_getCanonicalType(type);;) {
    const auto held =
        type.kind == CXType_Pointer ? clang_getPointeeType(type) : clang_getArrayElementType(type);
    if (held.kind == CXType_Invalid) return type;
    type = clang_getCanonicalType(held);
  }
}

/// Whether a static variable's initializer is a compile-time constant, and so the same on every device.
bool is_known_when_compiling(CXCursor expression) {
  const auto kind = clang_getCursorKind(expression);
  if (kind == CXCursor_CallExpr) return false;
  if (kind == CXCursor_DeclRefExpr &&
      clang_getCursorKind(clang_getCursorReferenced(expression)) != CXCursor_EnumConstantDecl)
    return false;
  return std::ranges::all_of(children_of(expression), is_known_when_compiling);
}

/// A constant table of numbers. Sharing it between pixels has no visible effect.
bool is_constant(CXCursor variable) {
  auto type = clang_getCanonicalType(clang_getCursorType(variable));
  bool is_const = clang_isConstQualifiedType(type) != 0;
  for (auto held = clang_getArrayElementType(type); held.kind != CXType_Invalid;
       held = clang_getArrayElementType(type)) {
    type = clang_getCanonicalType(held);
    is_const = is_const || clang_isConstQualifiedType(type) != 0;
  }
  const bool is_number = type.kind >= CXType_FirstBuiltin && type.kind <= CXType_LastBuiltin;
  return is_number && is_const && is_known_when_compiling(variable);
}

/// Whether the variable keeps its value between two calls. thread_local implies static storage, and GPUs do
/// not support it.
bool keeps_value(CXCursor variable) {
  if (clang_getCursorTLSKind(variable) != CXTLS_None) return true;
  return clang_Cursor_getStorageClass(variable) == CX_SC_Static && !is_constant(variable);
}

class walk {
 public:
  std::vector<CXCursor> result;

  void function(CXCursor definition) {
    const auto known = [&](const CXCursor& other) { return clang_equalCursors(other, definition) != 0; };
    if (std::ranges::any_of(result, known)) return;
    if (reserved.contains(name_of(definition)))
      refuse(definition, "a function named '" + name_of(definition) + "', as one of the generated code is",
             "another name");
    check_type(definition, clang_getCursorResultType(definition));
    open_.push_back(definition);
    for (const auto& child : children_of(definition)) expression(child);
    open_.pop_back();
    result.push_back(definition);
  }

 private:
  void check_type(CXCursor where, CXType type) {
    const auto held = innermost(type);
    const auto kind = held.kind;
    if (kind == CXType_LongDouble || kind == CXType_Float128)
      refuse(where, "long double inside the function, which a GPU does not have", "float or double");
    if (kind == CXType_Int128 || kind == CXType_UInt128)
      refuse(where, "__int128 inside the function, which not every compiler has",
             "integers of at most 64 bits");
    if (clang_getCanonicalType(type).kind == CXType_VariableArray)
      refuse(where, "'" + name_of(where) + "' is an array whose size is not a constant",
             "an array of a fixed size");
    if (kind == CXType_Vector || kind == CXType_ExtVector)
      refuse(where, "a vector of numbers inside the function, which not every compiler has",
             "an array of a fixed size");
    if (kind != CXType_Record) return;
    check_namespace(where, clang_getTypeDeclaration(held));
    record(clang_getTypeDeclaration(held));
  }

  /// Checks a struct of the file: its members and their initializers.
  void record(CXCursor definition) {
    const auto known = [&](const CXCursor& other) { return clang_equalCursors(other, definition) != 0; };
    if (!is_users(definition) || std::ranges::any_of(records_, known)) return;
    records_.push_back(definition);
    check_plain(definition);
    for (const auto& member : children_of(definition)) {
      if (name_of(definition).empty() && name_of(member) == "operator()")
        refuse(member, "a lambda inside the function", "a static function of this file");
      if (const auto* what = code_member(member))
        refuse(member, "'" + name_of(definition) + "', which the function uses, has " + what + " of its own",
               "a struct of numbers, and functions outside it");
      const auto kind = clang_getCursorKind(member);
      if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier) expression(member);
    }
  }

  /// Checks the parts of a typedef or an enum of the file.
  void named_type(CXCursor declared) {
    const auto known = [&](const CXCursor& other) { return clang_equalCursors(other, declared) != 0; };
    const auto kind = clang_getCursorKind(declared);
    const bool has_parts =
        kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl || kind == CXCursor_EnumDecl;
    if (!has_parts || !is_users(declared) || std::ranges::any_of(named_types_, known)) return;
    named_types_.push_back(declared);
    check_plain(declared);
    for (const auto& part : children_of(declared)) expression(part);
  }

  void expression(CXCursor cursor) {
    check_namespace(cursor, clang_getCursorReferenced(cursor));
    check_type(cursor, clang_getCursorType(cursor));
    switch (clang_getCursorKind(cursor)) {
      case CXCursor_TypeRef:
        named_type(clang_getCursorReferenced(cursor));
        break;
      case CXCursor_EnumDecl:
        named_type(cursor);
        break;
      case CXCursor_GenericSelectionExpr:
        refuse(cursor, "_Generic inside the function", "what C and C++ have in common");
      case CXCursor_CXXNewExpr:
      case CXCursor_CXXDeleteExpr:
        refuse(cursor, "memory is allocated or freed inside the function", memory_advice);
      case CXCursor_CXXThrowExpr:
      case CXCursor_CXXTryStmt:
        refuse(cursor, "exceptions inside the function", "a function that returns a value for every pixel");
      case CXCursor_GCCAsmStmt:
      case CXCursor_MSAsmStmt:
        refuse(cursor, "assembler inside the function", "C that every device can compile");
      case CXCursor_GotoStmt:
      case CXCursor_IndirectGotoStmt:
        refuse(cursor, "goto inside the function", "loops and conditions");
      case CXCursor_VarDecl:
        if (keeps_value(cursor))
          refuse(cursor, "static variable '" + name_of(cursor) + "' keeps a value between pixels",
                 static_advice);
        break;
      case CXCursor_DeclRefExpr:
        reference(cursor);
        break;
      case CXCursor_CallExpr:
        call(cursor);
        break;
      default:
        break;
    }
    for (const auto& child : children_of(cursor)) expression(child);
  }

  void reference(CXCursor cursor) {
    const auto target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(target) == CXCursor_EnumConstantDecl)
      named_type(clang_getCursorSemanticParent(target));
    if (!is_global(target)) return;
    if (streams.contains(name_of(target)))
      refuse(cursor, "input or output inside the function ('" + name_of(target) + "')", output_advice);
    refuse(cursor, "global variable '" + name_of(target) + "' inside the function", global_advice);
  }

  void call(CXCursor cursor) {
    const auto target = clang_getCursorReferenced(cursor);
    const auto kind = clang_getCursorKind(target);
    if (kind == CXCursor_Constructor) return constructor(cursor, target);
    const auto name = called_name(target);
    if (constants.contains(name)) return;
    const bool assigns = kind == CXCursor_CXXMethod && name == "operator=";
    if (assigns && is_users(clang_getCursorSemanticParent(target))) return;  // a struct without code
    if (kind == CXCursor_FunctionDecl && is_users(target)) return users_function(cursor, target, name);
    // The arguments are checked first, because they give a better message: std::cout << pixel.
    if (!mathematics.contains(name))
      for (const auto& child : children_of(cursor)) expression(child);
    if (kind != CXCursor_FunctionDecl)
      refuse(cursor, "call of '" + name_of(cursor) + "', which is not a plain function",
             "functions of this file or of <math.h>");
    if (allocation.contains(name))
      refuse(cursor, "memory is allocated or freed inside the function ('" + name + "')", memory_advice);
    if (input_output.contains(name))
      refuse(cursor, "input or output inside the function ('" + name + "')", output_advice);
    if (!mathematics.contains(name))
      refuse(
          cursor, "call of '" + name + "', which not every device has",
          "functions of this file, or those of <math.h> from abs to trunc that docs/reference/converter.md lists");
  }

  /// Structs of the file have no constructors of their own, so only library classes are refused.
  static void constructor(CXCursor cursor, CXCursor target) {
    const auto made = clang_getCursorSemanticParent(target);
    if (!is_users(made))
      refuse(cursor, "'" + name_of(made) + "' inside the function, a class of a library",
             "numbers, arrays of a fixed size, and structs of this file");
  }

  void users_function(CXCursor cursor, CXCursor target, const std::string& name) {
    if (clang_Cursor_isNull(clang_getSpecializedCursorTemplate(target)) == 0)
      refuse(cursor, "'" + name + "' is a template", "a function with types of its own");
    const auto definition = clang_getCursorDefinition(target);
    if (clang_Cursor_isNull(definition))
      refuse(cursor, "'" + name + "' is declared but not defined", "its definition in the same file");
    const auto same = [&](const CXCursor& other) { return clang_equalCursors(other, definition) != 0; };
    if (std::ranges::any_of(open_, same))
      refuse(cursor, "recursion: '" + name + "' calls itself" + (same(open_.back()) ? "" : " through others"),
             "a loop");
    function(definition);
  }

  static constexpr const char* memory_advice = "local variables and arrays of a fixed size";
  static constexpr const char* static_advice =
      "static const numbers, a local variable, a #define, an enum, or a member of the #STRUCT";
  static constexpr const char* global_advice =
      "a local variable, a #define, an enum, a member of the #STRUCT, or static const numbers inside the function";
  static constexpr const char* output_advice =
      "a function that only computes: files are read and written around it";

  std::vector<CXCursor> open_, records_, named_types_;
};

}  // namespace

std::vector<CXCursor> checked_calls(CXCursor marked) {
  walk all;
  all.function(marked);
  return std::move(all.result);
}

}  // namespace macareu::converter
