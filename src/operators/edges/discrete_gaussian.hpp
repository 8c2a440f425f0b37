// ITK's discrete Gaussian: weights exp(-v) I_k(v), the kernel of diffusion on a grid (Lindeberg). It has as
// many as needed to miss at most the maximum error of their sum, and is then normalised.
#pragma once

#include <vector>

namespace macareu {

/// w[0] ... w[r]: w[k] is the weight at distance k. At most 33.
std::vector<double> discrete_gaussian(double variance, double maximum_error);

}  // namespace macareu
