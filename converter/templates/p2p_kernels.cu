// A namespace of its own avoids clashes with names of the rule.
namespace kernels {

struct images {
  const rule::pixel_type* at[rule::inputs];
};

/// Adjacent pixels per thread. Loads and stores of 16 bytes use the memory bandwidth best.
constexpr int across = @ACROSS@;

/// may_alias, because the memory holds single values.
template <class Value>
struct [[gnu::may_alias]] alignas(across > 1 ? across * sizeof(Value) : alignof(Value)) pack {
  Value at[across];
};

extern "C" __global__ void p2p_kernel(images from, rule::result_type* result, long long count,
                                      rule::parameters given) {
  const long long first = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * across;
  if (first + across <= count) {
    pack<rule::pixel_type> in[rule::inputs];
#pragma unroll
    for (int k = 0; k < rule::inputs; ++k)
      in[k] = *reinterpret_cast<const pack<rule::pixel_type>*>(from.at[k] + first);
    pack<rule::result_type> out;
#pragma unroll
    for (int i = 0; i < across; ++i) {
      rule::pixel_type pixel[rule::inputs];
#pragma unroll
      for (int k = 0; k < rule::inputs; ++k) pixel[k] = in[k].at[i];
      out.at[i] = rule::apply(pixel, first + i, given);
    }
    *reinterpret_cast<pack<rule::result_type>*>(result + first) = out;
    return;
  }
  for (long long i = first; i < count; ++i) {  // the last pixels of the image
    rule::pixel_type pixel[rule::inputs];
    for (int k = 0; k < rule::inputs; ++k) pixel[k] = from.at[k][i];
    result[i] = rule::apply(pixel, i, given);
  }
}

}  // namespace kernels
