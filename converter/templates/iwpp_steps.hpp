/// Number of axes in which neighbours may differ, for 4 or 8 neighbours in images, 6, 18 or 26 in volumes.
constexpr int reach_of(int connectivity) {
  return connectivity == 4 || connectivity == 6 ? 1 : connectivity == 26 ? 3 : 2;
}

/// The steps to a pixel's neighbours in z, y, x order. The first half precedes the pixel. The two in the
/// middle are its left and right neighbours.
struct step {
  int z, y, x;
};

struct neighbourhood {
  step steps[26] = {};
  int count = 0;
};

#ifndef __CUDACC_RTC__
[[maybe_unused]] static neighbourhood neighbours(int connectivity) {
  const int flat = connectivity == 4 || connectivity == 8;
  neighbourhood all;
  for (int z = flat ? 0 : -1; z <= (flat ? 0 : 1); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int distance = (z != 0) + (y != 0) + (x != 0);
        if (distance > 0 && distance <= reach_of(connectivity)) all.steps[all.count++] = {z, y, x};
      }
  return all;
}
#endif
