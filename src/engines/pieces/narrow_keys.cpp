// Waves and basins in pieces, with 8 and 16-bit keys.
#include "engines/pieces/basins/piece_basins_impl.hpp"
#include "engines/pieces/wave/piece_waves_impl.hpp"
#include "engines/pieces/wave/rank_rims_impl.hpp"
#include "engines/pieces/wave/rim_flood_impl.hpp"
#include "engines/pieces/wave/rim_graph_impl.hpp"

namespace macareu::pieces {

template struct rim_summary<std::uint8_t>;
template class rim_flood<std::uint8_t>;
template class rim_graph<std::uint8_t>;
template class rank_rims<std::uint8_t>;
template class piece_waves<std::uint8_t>;
template void plan::set_wave<std::uint8_t>(const any_image&, piece_wave, const host_threads&);
template node_ptr basins_in_pieces<std::uint8_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                 const file_form&);

template struct rim_summary<std::uint16_t>;
template class rim_flood<std::uint16_t>;
template class rim_graph<std::uint16_t>;
template class rank_rims<std::uint16_t>;
template class piece_waves<std::uint16_t>;
template void plan::set_wave<std::uint16_t>(const any_image&, piece_wave, const host_threads&);
template node_ptr basins_in_pieces<std::uint16_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                  const file_form&);

}  // namespace macareu::pieces
