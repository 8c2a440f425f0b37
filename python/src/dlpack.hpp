// Memory of other packages by DLPack, and memory for them. The layout follows dlpack.h of the specification.
#pragma once

#include <cstdint>

namespace macareu::python::dlpack {

enum device_type : std::int32_t { on_host = 1, on_gpu = 2 };
enum type_code : std::uint8_t { integer = 0, whole = 1, real = 2, complex = 5, boolean = 6 };

struct device {
  std::int32_t type, number;
};

struct pixel_type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t axes;
  pixel_type type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: contiguous
  std::uint64_t byte_offset;
};

/// A managed tensor, with its deleter.
struct managed {
  static constexpr auto name = "dltensor", name_when_used = "used_dltensor";

  dlpack::tensor tensor;
  void* owner;
  void (*give_back)(managed*);
};

/// Since version 1.
struct managed_versioned {
  static constexpr auto name = "dltensor_versioned", name_when_used = "used_dltensor_versioned";
  static constexpr std::uint32_t known_version = 1;
  static constexpr std::uint64_t read_only = 1, is_copy = 2;  // flags

  std::uint32_t version, minor_version;  // minor versions add values, and keep the layout
  void* owner;
  void (*give_back)(managed_versioned*);
  std::uint64_t flags;
  dlpack::tensor tensor;
};

}  // namespace macareu::python::dlpack
