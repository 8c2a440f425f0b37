// ITK's discrete Gaussian: weights exp(-v) I_k(v), the kernel of diffusion on a grid (Lindeberg), with as
// many as are needed to miss at most the maximum error of their sum, then divided by it.
#pragma once

#include <vector>

namespace macareu {

/// w[0] ... w[r]: w[k] is the weight at distance k. Not more than 33.
std::vector<double> discrete_gaussian(double variance, double maximum_error);

}  // namespace macareu
