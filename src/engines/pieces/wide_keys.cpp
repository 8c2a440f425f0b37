// Waves and basins in pieces, with 32 and 64-bit keys.
#include "engines/pieces/basins/piece_basins_impl.hpp"
#include "engines/pieces/wave/piece_waves_impl.hpp"
#include "engines/pieces/wave/rank_rims_impl.hpp"
#include "engines/pieces/wave/rim_flood_impl.hpp"
#include "engines/pieces/wave/rim_graph_impl.hpp"

namespace macareu::pieces {

template struct rim_summary<std::uint32_t>;
template class rim_flood<std::uint32_t>;
template class rim_graph<std::uint32_t>;
template class rank_rims<std::uint32_t>;
template class piece_waves<std::uint32_t>;
template void plan::set_wave<std::uint32_t>(const any_image&, piece_wave, const host_threads&);
template node_ptr basins_in_pieces<std::uint32_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                  const file_form&);

template struct rim_summary<std::uint64_t>;
template class rim_flood<std::uint64_t>;
template class rim_graph<std::uint64_t>;
template class rank_rims<std::uint64_t>;
template class piece_waves<std::uint64_t>;
template void plan::set_wave<std::uint64_t>(const any_image&, piece_wave, const host_threads&);
template node_ptr basins_in_pieces<std::uint64_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                  const file_form&);

}  // namespace macareu::pieces
