"""What can be wrong with a marked function: file, line, what it is and what was expected; exit code 2, nothing written."""
import os
import unittest

from tool import TOOL, ConverterTest, example, random_values, write_pnm

# Name, source, the line that must be named (0: none), and what must be said.
SOURCES = [
    ("template", "template <class N>\nstatic N g(N p) { return p; }\n#P2P_FUNC\nstatic int f(int p, int i) "
     "{ return g(p); }\n", 4, "'g' is a template; expected a function with types of its own"),
    ("template with types", "template <class N> static N g(N p) { return p; }\n#P2P_FUNC\nstatic int f(int p, int i) {\n"
     "  return g<int>(p);\n}\n", 4, "'g' is a template; expected"),
    ("variable array", "#P2P_FUNC\nstatic int f(int p, int i) {\n  int many[p];\n  many[0] = 1;\n  return many[0];\n}\n", 3,
     "'many' is an array whose size is not a constant; expected an array of a fixed size"),
    ("variable array of arrays", "#P2P_FUNC\nstatic int f(int p, int i) {\n  int many[2][p];\n  return many[0][0];\n}\n", 3,
     "'many' is an array whose size is not a constant"),
    ("long double", "#P2P_FUNC\nstatic int f(int p, int i) {\n  long double v = p;\n  return (int)v;\n}\n", 3,
     "long double inside the function, which a GPU does not have; expected float or double"),
    ("literal of long double", "#P2P_FUNC\nstatic int f(int p, int i) {\n  return (int)(p * 0.5L);\n}\n", 3, "long double"),
    ("long double in a helper", "static long double g(int p) { return p; }\n#P2P_FUNC\nstatic int f(int p, int i) "
     "{ return (int)g(p); }\n", 3, "long double"),
    ("no return", "#P2P_FUNC\nstatic int f(int p, int i) {\n  if (p) return i;\n}\n", 4,
     "does not return a value in all control paths; expected a return with a value at the end of every path"),
    ("no return at all", "#P2P_FUNC\nstatic int f(int p, int i) {\n}\n", 3, "expected a return with a value"),
    ("fraction added", "#R2V_FUNC\nstatic void f(unsigned char p, int* saida, int bins) {\n  saida[p] += p * 0.5;\n}\n", 3,
     "a number that is not an integer is added to 'saida'; expected an integer, such as (int)(...)"),
    ("fraction added atomically", "#R2V_FUNC\nstatic void f(unsigned char p, int* saida, int bins) {\n"
     "  atomicAdd(&saida[p], 0.5f);\n}\n", 3, "a number that is not an integer is added to 'saida'"),
    ("macro defined again", "#define K 3\nstatic int g(int p) { return p + K; }\n#undef K\n#define K 5\n#P2P_FUNC\n"
     "static int f(int p, int i) { return g(p) + K; }\n", 3, "macro 'K' changes after 'g' used it; expected one meaning"),
    ("macro behind a macro", "#define K 3\n#define L (K + 1)\n#P2P_FUNC\nstatic int f(int p, int i) { return p + L; }\n"
     "#undef K\n#define K 5\n", 5, "macro 'K' changes after 'f' used it"),
    ("variable becomes a macro", "static int g(int p) { int n = p; return n; }\n#define n 5\n#P2P_FUNC\n"
     "static int f(int p, int i) { return g(p) + n; }\n", 2, "macro 'n' changes after 'g' used it"),
    ("macro of the generated code", "\n#define RULE 3\n#P2P_FUNC\nstatic int f(int p, int i) { return p + RULE; }\n", 2,
     "macro 'RULE', a name that generated code or compilers use; expected another name"),
    ("macro of the addition", "#define atomicAdd(a, b)\n#R2V_FUNC\nstatic void f(int p, int* saida, int bins) { saida[p]++; }\n",
     1, "macro 'atomicAdd', a name that"),
    ("macro of a compiler", "#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n#undef __CUDACC__\n", 3, "macro '__CUDACC__'"),
    ("no directive", "static int f(int a) { return a; }\n", 0, "no function is marked; expected #P2P_FUNC"),
    ("unknown directive", "\n#P3P_FUNC\n", 2, "unknown directive #P3P_FUNC; expected #P2P_FUNC, #N2P_FUNC"),
    ("misspelled directive", "/*\n#note\n*/\n#if 0\n#other\n#endif\n#P2PFUNC\nstatic int f(int p, int i) { return p; }\n", 7,
     "unknown directive #P2PFUNC; expected #P2P_FUNC, #N2P_FUNC"),
    ("statement expression", "#define MAX(a, b) ({ int c = (a); c > (b) ? c : (b); })\n#P2P_FUNC\nstatic int f(int p, int i) { return MAX(p, i); }\n", 3,
     "use of GNU statement expression extension; expected what C and C++ have in common"),
    ("no middle operand", "#P2P_FUNC\nstatic int f(int p, int i) { return p ?: i; }\n", 2, "omitting middle operand; expected what C and C++"),
    ("range of cases", "#P2P_FUNC\nstatic int f(int p, int i) {\n  switch (p) {\n    case 1 ... 5: return i;\n  }\n  return p;\n}\n", 4,
     "case range extension; expected what C and C++"),
    ("place in an array", "#P2P_FUNC\nstatic int f(int p, int i) {\n  int v[3] = {[1] = 5};\n  return v[p];\n}\n", 3,
     "array designators are a C99 extension; expected what C and C++"),
    ("members in another order", "struct pair { int a, b; };\n#P2P_FUNC\nstatic int f(int p, int i) {\n"
     "  struct pair c = {.b = 1, .a = 2};\n  return c.a;\n}\n", 4, "expected what C and C++"),
    ("unknown pragma", "#pragma macareu blur\n", 1, "unknown directive #pragma macareu blur; expected"),
    ("text behind", "#P2P_FUNC static\n", 1, "'static' behind #P2P_FUNC; expected the directive alone"),
    ("nothing follows", "#P2P_FUNC\n", 1, "nothing follows #P2P_FUNC; expected a static function"),
    ("no function", "#P2P_FUNC\nenum { a };\n", 2, "followed by something else than a function; expected the definition"),
    ("not static", "#P2P_FUNC\nint f(int p, int i) { return p + i; }\n", 2, "'f' is not static; expected"),
    ("not defined", "#P2P_FUNC\nstatic int f(int p, int i);\n", 2, "'f' is declared, not defined; expected"),
    ("two functions", "#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n#P2P_FUNC\nstatic int g(int p, int i) "
     "{ return p; }\n", 3, "a second marked function, after #P2P_FUNC in line 1; expected one marked function"),
    ("three functions of a wave", "#IWPP_FUNC\nstatic int offer(int s, int c) { return s; }\n#IWPP_FUNC\nstatic int better(int a, int b) "
     "{ return a > b; }\n#IWPP_FUNC\nstatic int best(int a, int b) { return a > b; }\n", 5,
     "a third marked function, after #IWPP_FUNC in line 1; expected one marked function"),
    ("two structs", "#STRUCT\ntypedef struct { int a; } data;\n#STRUCT\ntypedef struct { int a; } more;\n#P2P_FUNC\n"
     "static int f(int p, int i) { return p; }\n", 3, "a second #STRUCT; expected one parameter struct"),
    ("too few parameters", "#P2P_FUNC\nstatic int f(int p) { return p; }\n", 2,
     "'f' has too few parameters; expected static unsigned char f(unsigned char pixel, int index)"),
    ("no index", "#P2P_FUNC\nstatic int f(int p, float i) { return p; }\n", 2, "has no index: parameter 2 is float"),
    ("no pixel", "#P2P_FUNC\nstatic int f(int* p, int i) { return *p; }\n", 2, "'int *' is no pixel; expected a number of at most 64 bits"),
    ("different images", "#P2P_FUNC\nstatic int f(int p, short q, int i) { return p; }\n", 2, "images of different types"),
    ("plain char", "#P2P_FUNC\nstatic char f(char p, int i) { return p; }\n", 2, "expected signed char or unsigned char"),
    ("bool", "#P2P_FUNC\nstatic bool f(bool p, int i) { return p; }\n", 2, "bool is no pixel; expected unsigned char"),
    ("unknown type", "#P2P_FUNC\nstatic pixle f(pixle p, int i) { return p; }\n", 2,
     "unknown type name 'pixle'; expected bool, signed or unsigned char, short, int"),
    ("syntax", "#P2P_FUNC\nstatic int f(int p, int i) {\n  return p +;\n}\n", 3, "expected a file that compiles"),
    ("unknown name", "#P2P_FUNC\nstatic int f(int p, int i) { return q; }\n", 2,
     "use of undeclared identifier 'q'; expected a name of this file"),
    ("unknown header", "#include <nothing_like_that.h>\n#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n", 1,
     "file not found; expected a name of this file, or of a header"),
    ("struct of colours", "struct c { int a; float b; };\n#P2P_FUNC\nstatic int f(c p, int i) { return p.a; }\n", 3,
     "'c' is no pixel; expected a number of at most 64 bits, or a struct of 2 to 16 members of one type"),
    ("pointer in the struct", "#STRUCT\ntypedef struct {\n  int* p;\n} data;\n#P2P_FUNC\nstatic int f(int p, int i, data d) "
     "{ return p; }\n", 3, "pointer 'p' in the parameter struct; expected numbers only"),
    ("array in the struct", "#STRUCT\ntypedef struct {\n  int p[3];\n} data;\n#P2P_FUNC\nstatic int f(int p, int i, data d)"
     " { return p; }\n", 3, "'p' of type int[3] in the parameter struct; expected bool, integers"),
    ("plain char in the struct", "#STRUCT\ntypedef struct {\n  char p;\n} data;\n#P2P_FUNC\nstatic int f(int p, int i, data d)"
     " { return p; }\n", 3, "expected signed char or unsigned char"),
    ("packed struct", "#STRUCT\ntypedef struct __attribute__((packed)) {\n  signed char a; int b;\n} data;\n#P2P_FUNC\n"
     "static int f(int p, int i, data d) { return d.b; }\n", 2,
     "parameter struct 'data' has a layout of its own; expected a plain struct"),
    ("aligned member", "#STRUCT\ntypedef struct {\n  signed char a; int b __attribute__((aligned(16)));\n} data;\n#P2P_FUNC\n"
     "static int f(int p, int i, data d) { return d.b; }\n", 2, "parameter struct 'data' has a layout of its own"),
    ("union of parameters", "#STRUCT\ntypedef union {\n  int k; float z;\n} data;\n#P2P_FUNC\n"
     "static int f(int p, int i, data d) { return d.k; }\n", 2, "parameter struct 'data' has a layout of its own"),
    ("constant in the struct", "#STRUCT\nstruct data {\n  const int a;\n};\n#P2P_FUNC\nstatic int f(int p, int i, data d) { return p + i; }\n", 3,
     "'a' in the parameter struct is const; expected a member that can be written"),
    ("private member of the struct", "#STRUCT\nstruct data {\n  private: int a;\n};\n#P2P_FUNC\nstatic int f(int p, int i, data d) { return p + i; }\n", 3,
     "'a' in the parameter struct is not public; expected public members only"),
    ("constants in a pixel", "typedef const unsigned char byte;\nstruct c {\n  byte a, b;\n};\n#P2P_FUNC\nstatic c f(c p, int i) { return p; }\n", 3,
     "'a' in the pixel 'c' is const; expected a member that can be written"),
    ("private members of a pixel", "class c {\n  int a, b;\n};\n#P2P_FUNC\nstatic c f(c p, int i) { return p; }\n", 2,
     "'a' in the pixel 'c' is not public; expected public members only"),
    ("struct not marked", "typedef struct { int a; } data;\n#P2P_FUNC\nstatic int f(int p, int i, data d) { return p; }\n",
     3, "'data' is not marked; expected #STRUCT"),
    ("struct by pointer", "#STRUCT\ntypedef struct { int a; } data;\n#P2P_FUNC\nstatic int f(int p, int i, data* d) "
     "{ return p; }\n", 4, "the parameter struct is a pointer; expected the struct itself"),
    ("array of structs", "#STRUCT\ntypedef struct { int a; } data;\n#P2P_FUNC\nstatic int f(int p, int i, data d[]) "
     "{ return p; }\n", 4, "the parameter struct is a pointer; expected the struct itself"),
    ("const struct not marked", "typedef struct { int a; } data;\n#P2P_FUNC\nstatic int f(int p, int i, const volatile data d) "
     "{ return p; }\n", 3, "'data' is not marked; expected #STRUCT"),
    ("no struct", "#STRUCT\nenum { a };\n#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n", 2,
     "followed by something else than a struct; expected typedef struct"),
    ("recursion", "#P2P_FUNC\nstatic int f(int p, int i) {\n  return p > 0 ? f(p - 1, i) : 0;\n}\n", 3,
     "recursion: 'f' calls itself; expected a loop"),
    ("recursion through others", "static int g(int p);\nstatic int h(int p) { return g(p); }\nstatic int g(int p) "
     "{ return h(p); }\n#P2P_FUNC\nstatic int f(int p, int i) { return g(p); }\n", 2, "calls itself through others"),
    ("malloc", "#include <stdlib.h>\n#P2P_FUNC\nstatic int f(int p, int i) {\n  free(malloc(3));\n  return p;\n}\n", 4,
     "memory is allocated or freed inside the function ('malloc'); expected local variables"),
    ("malloc as in C", "#include <stdlib.h>\n#P2P_FUNC\nstatic int f(int p, int i) {\n  int* q = malloc(4);\n  return *q;\n}\n", 4,
     "expected local variables in place of memory that is allocated"),
    ("new", "#P2P_FUNC\nstatic int f(int p, int i) {\n  int* q = new int;\n  return *q;\n}\n", 3,
     "memory is allocated or freed inside the function; expected"),
    ("global", "int total;\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + total;\n}\n", 4,
     "global variable 'total' inside the function; expected a local variable, a #define"),
    ("global in a helper", "int total;\nstatic int g(int p) {\n  return p + total;\n}\n#P2P_FUNC\nstatic int f(int p, int i)"
     " { return g(p); }\n", 3, "global variable 'total'"),
    ("variable of a thread", "#P2P_FUNC\nstatic int f(int p, int i) {\n  thread_local int last = 0;\n  return last++;\n}\n", 3,
     "static variable 'last' keeps a value between pixels"),
    ("memory of the stack", "#include <alloca.h>\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return *(int*)alloca(4);\n}\n", 4,
     "memory is allocated or freed inside the function"),
    ("static variable", "#P2P_FUNC\nstatic int f(int p, int i) {\n  static int last = 0;\n  return last;\n}\n", 3,
     "static variable 'last' keeps a value between pixels; expected static const numbers, a local variable"),
    ("static constant of a pixel", "#P2P_FUNC\nstatic int f(int p, int i) {\n  static const int first = p;\n  return first;\n}\n", 3,
     "static variable 'first' keeps a value between pixels"),
    ("static constant of a call", "static int g(void) { return 3; }\n#P2P_FUNC\nstatic int f(int p, int i) {\n"
     "  static const int k[1] = {g()};\n  return k[0];\n}\n", 4, "static variable 'k' keeps a value between pixels"),
    ("static pointer", "#P2P_FUNC\nstatic int f(int p, int i) {\n  static const int* k = 0;\n  return k == 0;\n}\n", 3,
     "static variable 'k' keeps a value between pixels"),
    ("128 bits", "#P2P_FUNC\nstatic int f(int p, int i) {\n  unsigned __int128 v = p;\n  return (int)(v >> 3);\n}\n", 3,
     "__int128 inside the function, which not every compiler has; expected integers of at most 64 bits"),
    ("pixels of 128 bits", "#P2P_FUNC\nstatic __int128 f(__int128 p, int i) { return p; }\n", 2,
     "'__int128' is no pixel; expected a number of at most 64 bits"),
    ("parameter of 128 bits", "#STRUCT\ntypedef struct {\n  __int128 k;\n} data;\n#P2P_FUNC\nstatic int f(int p, int i, data d)"
     " { return p; }\n", 3, "'k' of type __int128 in the parameter struct; expected bool, integers of at most 64 bits"),
    ("constructor", "int total;\nstruct S {\n  int v;\n  S(int p) { v = p + total++; }\n};\n#P2P_FUNC\nstatic int f(int p, int i) "
     "{ S s(p); return s.v; }\n", 4, "'S', which the function uses, has a constructor of its own; expected a struct of numbers"),
    ("destructor", "struct S {\n  int v;\n  ~S() { v = 0; }\n};\n#P2P_FUNC\nstatic int f(int p, int i) "
     "{ S s; s.v = p; return s.v; }\n", 3, "'S', which the function uses, has a destructor of its own"),
    ("method", "struct S {\n  int v;\n  int w() { return v; }\n};\nstatic int g(int p) { S s[2]; s[0].v = p; return s[0].w(); }\n"
     "#P2P_FUNC\nstatic int f(int p, int i) { return g(p); }\n", 3, "'S', which the function uses, has a function of its own"),
    ("constructor of a member", "struct R {\n  int v;\n  R() { v = 0; }\n};\nstruct S { R r; };\n#P2P_FUNC\n"
     "static int f(int p, int i) { S s; return s.r.v + p; }\n", 3, "'R', which the function uses, has a constructor"),
    ("global that a member begins with", "int total;\nstruct S {\n  int v = total;\n};\n#P2P_FUNC\nstatic int f(int p, int i) "
     "{ S s; return s.v + p; }\n", 3, "global variable 'total' inside the function"),
    ("static member", "struct S {\n  static int total;\n};\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return S::total + p;\n}\n", 6,
     "global variable 'total' inside the function; expected a local variable, a #define, an enum, a member of the #STRUCT, or static "
     "const numbers inside the function"),
    ("class of a library", "#include <string>\n#P2P_FUNC\nstatic int f(int p, int i) {\n  std::string s;\n  return p;\n}\n", 4,
     "inside the function, a class of a library; expected numbers, arrays of a fixed size"),
    ("lambda", "#P2P_FUNC\nstatic int f(int p, int i) {\n  return [](int v) { return v; }(p);\n}\n", 3,
     "a lambda inside the function; expected a static function of this file"),
    ("type of a namespace", "namespace n { struct q { int a; }; }\n#P2P_FUNC\nstatic int f(int p, int i) {\n  n::q v = {p};\n  return v.a;\n}\n", 4,
     "'q' stands in a namespace; expected types, constants and functions outside all namespaces"),
    ("enum of a namespace", "namespace n { enum class mode { a, b }; }\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (n::mode::a == n::mode::b);\n}\n", 4,
     "'a' stands in a namespace; expected types, constants and functions outside all namespaces"),
    ("function of a namespace", "namespace n { inline int dbl(int a) { return 2 * a; } }\nusing n::dbl;\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return dbl(p);\n}\n", 5,
     "'dbl' stands in a namespace; expected types, constants and functions outside all namespaces"),
    ("constant by its whole name", "enum { A = 3 };\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + ::A;\n}\n", 4,
     "'::A' names what generated code has inside a namespace; expected 'A' alone"),
    ("variable of a block of C", "extern \"C\" { static int total; }\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + total;\n}\n", 4,
     "global variable 'total' inside the function"),
    ("another name of a namespace", "#include <cmath>\nnamespace m = std;\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return (int)m::sqrt((double)p);\n}\n", 5,
     "namespace 'm' of this file, which generated code does not have; expected names outside all namespaces"),
    ("namespace in a type that is not used", "namespace n { struct q { int a; }; }\ntypedef n::q r;\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p;\n}\n", 2,
     "namespace 'n' of this file, which generated code does not have"),
    ("variable in a type that is not used", "const int n = 3;\nstruct s {\n  int v[n];\n};\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p;\n}\n", 3,
     "'n' in a type outside the functions, where only types and macros are known; expected a number, a #define or an enum"),
    ("name of no namespace", "static int g(int p) { return p; }\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return ::g(p);\n}\n", 4,
     "'::g' names what generated code has inside a namespace; expected 'g' alone"),
    ("type of no namespace", "struct s { int a; };\nstatic int g(int p) {\n  ::s v = {p};\n  return v.a;\n}\n#P2P_FUNC\nstatic int f(int p, int i) "
     "{ return g(p); }\n", 3, "'::s' names what generated code has inside a namespace"),
    ("template of a struct", "template <class N> struct v { N a; };\n#P2P_FUNC\nstatic int f(int p, int i) {\n  v<int> q = {p};\n  return q.a;\n}\n", 4,
     "'v' is a template; expected a type without arguments"),
    ("generic selection", "#define SIZE(v) _Generic(v, int: 4, default: 8)\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return SIZE(p);\n}\n", 4,
     "_Generic inside the function; expected what C and C++ have in common"),
    ("vector of a compiler", "typedef int v4 __attribute__((vector_size(16)));\n#P2P_FUNC\nstatic int f(int p, int i) {\n  v4 v = {p};\n  return v[0];\n}\n", 4,
     "a vector of numbers inside the function, which not every compiler has; expected an array of a fixed size"),
    ("size of a packed struct", "struct s { unsigned char c; int i; } __attribute__((packed));\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (int)sizeof(struct s);\n}\n", 1,
     "'s', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("size of a struct between pragmas", "#pragma pack(push, 1)\ntypedef struct { unsigned char c; int i; } s;\n#pragma pack(pop)\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (int)sizeof(s);\n}\n", 2,
     "'s', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("pragma before the function", "#pragma pack(1)\n#P2P_FUNC\nstatic int f(int p, int i) {\n  struct s { unsigned char c; int i; };\n  return p + (int)sizeof(struct s);\n}\n", 4,
     "'s', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("packed bits", "#pragma pack(1)\nstruct s { unsigned char a : 5, b : 5, c : 5; };\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (int)sizeof(struct s);\n}\n", 2,
     "'s', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("packed and aligned struct", "struct s { unsigned char c; int i; } __attribute__((packed, aligned(4)));\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (int)sizeof(struct s);\n}\n", 1,
     "'s', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("size of a packed struct in an enum", "struct s { unsigned char c; int i; } __attribute__((packed));\nenum { size = sizeof(struct s), more };\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + more;\n}\n", 1,
     "'s', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("aligned type", "typedef unsigned char a16 __attribute__((aligned(16)));\ntypedef a16 other;\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (int)alignof(other);\n}\n", 1,
     "'a16', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("type of another mode", "typedef int qi __attribute__((mode(QI)));\n#P2P_FUNC\nstatic int f(int p, int i) {\n  qi v = (qi)p;\n  return v;\n}\n", 1,
     "'qi', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("packed enum", "typedef enum { a, b } __attribute__((packed)) letters;\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return p + (int)sizeof(letters);\n}\n", 1,
     "'letters', which the function uses, has a layout or attributes of its own; expected a plain type, without packing or alignment"),
    ("T in a struct", "typedef struct {\n  T a;\n} pair;\n#R2S_FUNC\nstatic T f(E a, E b) { return a + b; }\n", 2,
     "'T' in a type outside the functions, where it is not known; expected a number such as int or double"),
    ("E in a typedef", "typedef int E;\ntypedef E other;\n#R2S_FUNC\nstatic T f(E a, E b) { return a + b; }\n", 2,
     "'E' in a type outside the functions"),
    ("T of no generic function", "static T g(T a) { return a; }\n#R2S_FUNC\nstatic int f(int a, int b) { return g(a) + b; }\n", 1,
     "unknown type name 'T'; expected a type of this file"),
    ("helper named as the class around", "static T reduction(T a) { return a; }\n#R2S_FUNC\nstatic T f(E a, E b) "
     "{ return reduction(a) + b; }\n", 1, "'reduction' is named as the class"),
    ("printf", "#include <stdio.h>\n#P2P_FUNC\nstatic int f(int p, int i) {\n  printf(\"%d\", p);\n  return p;\n}\n", 4,
     "input or output inside the function ('printf'); expected a function that only computes"),
    ("cout", "#include <iostream>\n#P2P_FUNC\nstatic int f(int p, int i) {\n  std::cout << p;\n  return p;\n}\n", 4,
     "input or output inside the function"),
    ("other calls", "#include <stdlib.h>\n#P2P_FUNC\nstatic int f(int p, int i) { return rand(); }\n", 3,
     "call of 'rand', which not every device has; expected functions of this file, or those of <math.h>"),
    ("no definition", "static int g(int);\n#P2P_FUNC\nstatic int f(int p, int i) { return g(p); }\n", 3,
     "'g' is declared but not defined; expected its definition"),
    ("throw", "#P2P_FUNC\nstatic int f(int p, int i) { throw 1; }\n", 2, "exceptions inside the function; expected"),
    ("goto", "#P2P_FUNC\nstatic int f(int p, int i) { again: if (p) goto again; return p; }\n", 2, "goto inside"),
    ("even window", "#N2P_FUNC\nstatic int f(int p[4][3], int x, int y) { return p[0][0]; }\n", 2,
     "window of size 4, which must be odd and at most 31; expected static unsigned char f(unsigned char pixel[3][3], int x, int y), "
     "or pixel[3][3][3] with int x, int y, int z, odd sizes up to 31"),
    ("no window", "#N2P_FUNC\nstatic int f(int p, int x, int y) { return p; }\n", 2, "takes no window of 2 or 3 axes"),
    ("position missing", "#N2P_FUNC\nstatic int f(int p[3][3][3], int x, int y) { return 0; }\n", 2, "wrong number of"),
    ("mixed reduction", "#R2S_FUNC\nstatic int f(unsigned char a, unsigned char b) { return a + b; }\n", 2,
     "returns another type than it takes, so that results of parts cannot be joined by it; expected static T f(E pixel1, E pixel2)"),
    ("two types of pixels", "#R2S_FUNC\nstatic int f(int a, short b) { return a + b; }\n", 2, "takes pixels of different types; expected"),
    ("reduction to a colour", "struct c { int a, b; };\n#R2S_FUNC\nstatic c f(c a, c b) { return a; }\n", 3, "returns a colour, and"),
    ("namespace", "namespace n {\n#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n}\n", 2,
     "#P2P_FUNC inside a namespace or another block; expected the directive outside all blocks"),
    ("number in parts", "#define K 1'000\n#P2P_FUNC\nstatic int f(int p, int i) { return p + K; }\n#undef K\n#define K 2'000\n", 4,
     "macro 'K' changes after 'f' used it"),
    ("macro behind a number in parts", "#define K 3\n#P2P_FUNC\nstatic int f(int p, int i) { return p + 1'000 + K; }\n#undef K\n"
     "#define K 5\n", 4, "macro 'K' changes after 'f' used it"),
    ("macro becomes a variable", "#define K 3\nstatic int g(int p) { return p + K; }\n#undef K\n#P2P_FUNC\n"
     "static int f(int p, int i) { int K = 1; return g(p) + K; }\n", 3, "macro 'K' changes after 'g' used it"),
    ("macro becomes a member", "#define K 3\nstatic int g(int p) { return p + K; }\n#undef K\nstruct s { int K; };\n#P2P_FUNC\n"
     "static int f(int p, int i) { return g(p); }\n", 3, "macro 'K' changes after 'g' used it"),
    ("struct in a struct", "struct outer { struct rgb { int r, g, b; }; };\n\n#P2P_FUNC\nstatic outer::rgb f(outer::rgb p, int i) "
     "{ return p; }\n", 4, "'outer::rgb' is no spelling of 3 x i32; expected numbers and structs of this file by their plain names"),
    ("vector read", "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n  saida[0] = p;\n}\n", 3,
     "'saida' is used in another way than by adding to an element; expected saida[i] += w;"),
    ("value of the count", "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n  int n = saida[p]++;\n  if (n) return;"
     "\n}\n", 3, "'saida' is used in another way"),
    ("count as a condition", "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n  if (saida[p]++) saida[0]++;\n}\n", 3,
     "'saida' is used in another way"),
    ("count as the end of a loop", "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n  do ++p;\n  while (saida[p] += 1);\n}\n",
     4, "'saida' is used in another way"),
    ("value of the addition", "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n  int n = atomicAdd(&saida[p], 1);\n"
     "  saida[n] += 1;\n}\n", 3, "'saida' is used in another way"),
    ("addition as a condition", "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n  if (atomicAdd(&saida[p], 1)) return;\n}\n", 3,
     "'saida' is used in another way"),
    ("vector passed on", "static void g(int* v) { v[0] += 1; }\n#R2V_FUNC\nstatic void f(int p, int* saida, int bins) {\n"
     "  g(saida);\n}\n", 4, "'saida' is used in another way"),
    ("vector of floats", "#R2V_FUNC\nstatic void f(int p, float* saida, int bins) { saida[0] += 1; }\n", 2,
     "a vector of float, which cannot be added to in any order; expected"),
    ("vector function returns", "#R2V_FUNC\nstatic int f(int p, int* saida, int bins) { return 0; }\n", 2, "returns a value"),
    ("reserved name", "#R2V_FUNC\nstatic void atomicAdd(int p, int* saida, int bins) { saida[p]++; }\n", 2,
     "a function named 'atomicAdd', as one of the generated code is; expected another name"),
    ("name of the class around", "\n#R2S_FUNC\nstatic T reduction(E a, E b) { return a > b ? a : b; }\n", 3,
     "'reduction' is named as the class"),
    ("half a wave", "#IWPP_FUNC\nstatic int offer(int s, int c) { return s; }\n", 1,
     "one function for #IWPP_FUNC; expected two, offer and better"),
    ("names of a wave", "#IWPP_FUNC\nstatic int offer(int s, int c) { return s; }\n#IWPP_FUNC\nstatic int best(int a, int b)"
     " { return a > b; }\n", 4, "'best' is neither offer nor better; expected"),
    ("better", "#IWPP_FUNC\nstatic int offer(int s, int c) { return s; }\n#IWPP_FUNC\nstatic int better(float a, float b)"
     " { return a > b; }\n", 4, "'better' does not compare two states; expected"),
    ("offer", "#IWPP_FUNC\nstatic float offer(int s, int c) { return s; }\n#IWPP_FUNC\nstatic int better(int a, int b)"
     " { return a > b; }\n", 2, "'offer' does not return the type of its state; expected"),
]
# Of C++: C converts it by itself.
ROOT_IN_A_MACRO = """#include <math.h>
#define ROOT(x) sqrt(x)
#P2P_FUNC
static int f(int p, int i) {
  return (int)ROOT(p);
}
"""


class Sources(ConverterTest):
    def test_every_message(self):
        for name, source, line, said in SOURCES:
            with self.subTest(name):
                self.write("f.c", source)
                message = self.fail_with(2, "convert", "f.c", "-o", "program")
                self.assertIn(said, message)
                self.assertIn("f.c:%d: " % line if line else "f.c: ", message)

    def test_an_integer_in_a_macro(self):
        self.write("f.cpp", ROOT_IN_A_MACRO)
        message = self.fail_with(2, "convert", "f.cpp", "-o", "program")
        self.assertIn("f.cpp:5: 'sqrt' of an integer, written by a macro; expected (double) before the integer", message)

    def test_a_header_is_named_too(self):
        self.write("bad.h", "\n#STRUCT\ntypedef struct { int* p; } data;\n")
        self.write("f.c", '#include "bad.h"\n#P2P_FUNC\nstatic int f(int p, int i, data d) { return p; }\n')
        self.assertIn("bad.h:3: pointer 'p'", self.fail_with(2, "convert", "f.c", "-o", "program"))
        self.write("g.c", '\n#include "none.h"\n')
        self.assertIn("g.c:2: cannot read none.h", self.fail_with(3, "convert", "g.c", "-o", "program"))

    def test_names_of_files_are_quoted(self):
        self.write("none.h", "")
        name = 'a"b\\c.c'
        self.write(name, '#include "none.h"\n#P2P_FUNC\nstatic int f(int p, int i) {\n  return q;\n}\n')
        self.assertIn(name + ":4: use of undeclared identifier 'q'", self.fail_with(2, "convert", name, "-o", "program"))

    def test_no_cache_is_needed(self):
        self.write("f.c", "#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n")
        for number, changes in enumerate(({"MACAREU_CACHE": "/dev/null/cache"},
                                          {"MACAREU_CACHE": "", "XDG_CACHE_HOME": "", "HOME": ""})):
            done = self.command(TOOL, "convert", "f.c", "-o", "cacheless%d" % number, **changes)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("f.cu", os.listdir(self.path("cacheless%d" % number)))
        self.write("f.c", "#P2P_FUNC\nstatic int f(int p) { return p; }\n")
        self.assertIn("too few", self.fail_with(2, "convert", "f.c", "-o", "program", MACAREU_CACHE="/dev/null/cache"))

    def test_files(self):
        self.assertIn("cannot read none.c", self.fail_with(3, "convert", "none.c", "-o", "program"))
        self.write("x.json", "{}")
        self.assertIn("x.json: not a description", self.fail_with(2, "convert", "x.json", "-o", "program"))
        self.write("taken", "")
        self.assertIn("is a file, expected a directory", self.fail_with(3, "convert", example("sobel"), "-o", "taken"))


class Runs(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_pnm(cls.path("in.pgm"), (3, 4), random_values(12, 1))
        write_pnm(cls.path("small.pgm"), (2, 4), random_values(8, 1))
        write_pnm(cls.path("wide.pgm"), (3, 4), random_values(12, 1), wide=True)
        cls.write("float.c", "#STRUCT\ntypedef struct { float k; } data;\n#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i, data d) "
                  "{ return (unsigned char)(p * d.k); }\n")
        cls.write("bool.c", "#STRUCT\ntypedef struct { bool k; } data;\n#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i, data d) "
                  "{ return d.k ? p : 0; }\n")
        write_pnm(cls.path("colour.ppm"), (3, 4), random_values(36, 1), channels=3)
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 3), }".ljust(117) + "\n"
        with open(cls.path("in.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00v\x00" + header.encode() + bytes(range(36)))

    def test_messages(self):
        binarise = [example("binarise"), "in.pgm", "-o", "out.pgm"]
        for arguments, code, said in [
                (binarise, 2, "parameter tolerancia is needed: --param tolerancia=VALUE"),
                (binarise + ["--param", "tolerancia"], 2, "--param: expected NAME=VALUE, got 'tolerancia'"),
                (binarise + ["--param", "tolerance=1"], 2, "no parameter 'tolerance' (did you mean tolerancia?)"),
                (binarise + ["--param", "tolerancia=x"], 2, "--param tolerancia: expected a whole number"),
                (binarise + ["--param", "tolerancia=3000000000"], 2, "--param tolerancia: expected a whole number"),
                (binarise + ["--param", "tolerancia=1", "--param", "tolerancia=2"], 2, "is given twice"),
                (binarise + ["--device", "toaster"], 2, "--device: expected auto, serial, cpu, cuda or cuda:N"),
                ([example("sobel"), "in.pgm"], 2, "--output is required: the function gives an image"),
                ([example("sobel"), "in.pgm", "-o", "out.xyz"], 2, ".xyz cannot be written"),
                ([example("sobel"), "none.pgm", "-o", "out.pgm"], 3, "none.pgm"),
                ([example("sobel"), "wide.pgm", "-o", "out.pgm"], 2, "wide.pgm holds u16, and the function takes u8"),
                ([example("sobel"), "colour.ppm", "-o", "out.pgm"], 2, "--channel"),
                ([example("colour"), "in.pgm", "-o", "out.pgm"], 2, "has 1 channel, and the function takes 3\n"),
                ([example("colour"), "in.npy", "-o", "out.pgm"], 2, "has 1 channel, and the function takes 3; --channels last takes"),
                ([example("sobel"), "in.pgm", "in.pgm", "-o", "out.pgm"], 2, "takes 1 image, got 2"),
                ([example("sum"), "in.pgm", "-o", "out.pgm"], 2, "takes 2 images, got 1"),
                ([example("sum"), "in.pgm", "small.pgm", "-o", "out.pgm"], 2, "different shapes: 3 x 4 and 2 x 4"),
                ([example("smooth3d"), "wide.pgm", "-o", "out.pgm"], 2, "window has 3 axes, the image 2"),
                ([example("reconstruct"), "in.pgm", "-o", "out.pgm"], 2, "takes 2 images, marker and mask"),
                ([example("reconstruct"), "in.pgm", "in.pgm", "-o", "o.pgm", "--connectivity", "26"], 2, "26 is for volumes"),
                ([example("maximum"), "in.pgm", "-o", "out.pgm"], 2, "gives one number, on standard output"),
                ([example("histogram"), "in.pgm", "-o", "o.json"], 2, ".json cannot be written; a vector is written as .csv"),
                ([example("histogram"), "in.pgm", "-o", "o.png"], 2, ".png cannot be written; a vector is written as .csv"),
                ([example("histogram"), "in.pgm", "--border", "wrap"], 2, "--border is for functions of n2p, and this is one of r2v"),
                (binarise + ["--param", "tolerancia=1", "--bins", "3"], 2, "--bins is for functions of r2v, and this is one of p2p"),
                ([example("maximum"), "in.pgm", "--connectivity", "4"], 2, "--connectivity is for functions of iwpp"),
                (["float.c", "in.pgm", "-o", "out.pgm", "--param", "k=1e300"], 2, "--param k: expected a number that a float can hold"),
                (["bool.c", "in.pgm", "-o", "out.pgm", "--param", "k=2"], 2, "--param k: expected one of false, true, 0, 1, got '2'"),
                ([example("sobel"), "in.pgm", "-o", "-"], 2, "-: a name without extension cannot be written"),
                ([example("sobel"), "in.pgm", "-o", "out.pgm", "--border", "none"], 2, "--border: expected one of nearest"),
        ]:
            with self.subTest(said):
                self.assertIn(said, self.fail_with(code, "run", *arguments))

    def test_a_compiler_that_fails(self):
        """Is quoted, without the directory that is gone by then."""
        self.write("float.cpp", "#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) { return (unsigned char)(p + 1); }\n")
        message = self.fail_with(4, "run", "float.cpp", "in.pgm", "-o", "out.pgm", "--device", "cpu", CXX="c++ -include none.h")
        self.assertIn("none.h: No such file", message)
        message = self.fail_with(4, "run", "float.cpp", "in.pgm", "-o", "out.pgm", "--device", "cpu", CXX="c++ -Werror=old-style-cast")
        self.assertNotIn("making-", message)
        self.assertIn("failed on float.cpp: function_rule.hpp:", message)

    def test_no_cache(self):
        message = self.fail_with(3, "run", example("maximum"), "in.pgm", "--device", "cpu", MACAREU_CACHE="/dev/null/cache")
        self.assertIn("/dev/null/cache: cannot be made, and compiled functions are kept there: ", message)
        self.assertIn("; name another directory in MACAREU_CACHE", message)

    def test_no_compiler(self):
        message = self.fail_with(4, "run", example("maximum"), "in.pgm", "--device", "cpu", CXX="/none/c++")
        self.assertIn("no C++ compiler: '/none/c++' cannot be started; install g++", message)


if __name__ == "__main__":
    unittest.main()
