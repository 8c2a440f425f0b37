#ifdef WITH_OPENCV
/// The pixels of a matrix, which must have the size of the first one. `copy` keeps them alive.
template <class Pixel>
const Pixel* pixels_of(const cv::Mat& given, int depth, int channels, const cv::Mat& first, cv::Mat& copy) {
  if (given.dims != 2)
    throw std::invalid_argument("a cv::Mat of " + std::to_string(given.dims) + " axes, expected 2");
  if (given.depth() != depth || given.channels() != channels)
    throw std::invalid_argument("a cv::Mat of depth " + std::to_string(given.depth()) + " with " +
                                std::to_string(given.channels()) + " channels, expected depth " +
                                std::to_string(depth) + " with " + std::to_string(channels));
  if (given.rows != first.rows || given.cols != first.cols)
    throw std::invalid_argument("the cv::Mats differ in size");
  copy = given.isContinuous() ? given : given.clone();
  return reinterpret_cast<const Pixel*>(copy.data);
}
#endif

