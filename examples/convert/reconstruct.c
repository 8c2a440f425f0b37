/* Morphological reconstruction: the marker floods upwards under the mask, as a wave.
   macareu run reconstruct.c marker.png mask.png -o out.png --connectivity 8 */

/* What a pixel offers its neighbour: its own value, as far as the neighbour's mask lets it rise. */
#IWPP_FUNC
static unsigned char offer(unsigned char state, unsigned char mask) {
    return state < mask ? state : mask;
}

/* Whether a pixel prefers value a to value b. */
#IWPP_FUNC
static int better(unsigned char a, unsigned char b) {
    return a > b;
}
