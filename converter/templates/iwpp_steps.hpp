/// The steps to a pixel's neighbours: 4 or 8 in images, 6, 18 or 26 in volumes.
struct step {
  int z, y, x;
};

struct neighbourhood {
  step steps[26] = {};
  int count = 0;
};

#ifndef __CUDACC_RTC__
[[maybe_unused]] static neighbourhood neighbours(int connectivity) {
  const int farthest = connectivity == 4 || connectivity == 6 ? 1 : connectivity == 26 ? 3 : 2;
  const int flat = connectivity == 4 || connectivity == 8;
  neighbourhood all;
  for (int z = flat ? 0 : -1; z <= (flat ? 0 : 1); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int distance = (z != 0) + (y != 0) + (x != 0);
        if (distance > 0 && distance <= farthest) all.steps[all.count++] = {z, y, x};
      }
  return all;
}
#endif
