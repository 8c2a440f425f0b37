/// How an image is cut into tiles, one block each.
struct tiling {
  rule::extent size;
  int tile_z, tile_y, tile_x;     // pixels of a tile: one for each thread
  int tiles_z, tiles_y, tiles_x;  // tiles of the image
};

inline tiling tiling_of(const rule::extent& size) {
  const auto tiles = [](long long pixels, int tile) { return static_cast<int>((pixels + tile - 1) / tile); };
  const bool flat = size.depth == 1;
  tiling cut{};
  cut.size = size;
  cut.tile_z = flat ? 1 : 4;
  cut.tile_y = flat ? 32 : 8;
  cut.tile_x = 32;
  cut.tiles_z = tiles(size.depth, cut.tile_z);
  cut.tiles_y = tiles(size.height, cut.tile_y);
  cut.tiles_x = tiles(size.width, cut.tile_x);
  return cut;
}

