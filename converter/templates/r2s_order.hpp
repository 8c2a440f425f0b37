/// Pixels are joined in one fixed order, so that every engine gives the same bits, also for floating point.
/// In each chunk of 4096 pixels, pixel i joins lane i mod 256 in turn; then the lanes join pairwise by
/// halves. The values of chunks are joined the same way, until one is left. There is no identity: a lane
/// starts with its first pixel.
constexpr int lanes = 256;
constexpr int chunk = 4096;

