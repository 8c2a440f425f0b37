/// Pixels are joined in one fixed order, so that every engine gives the same bits, for floating point too: of
/// each 4096 pixels, pixel i joins lane i mod 256 in turn, then the lanes join in halves; the chunks' values
/// are then joined the same way, until one is left. There is no identity: a lane begins with its first pixel.
constexpr int lanes = 256;
constexpr int chunk = 4096;

