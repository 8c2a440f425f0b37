/// Shape of an image. Images without slices have depth 1. The pixel index is (slice * height + row) * width +
/// column.
struct extent {
  long long depth = 1, height = 0, width = 0;
  long long pixels() const { return depth * height * width; }
};

