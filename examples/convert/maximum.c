/* The greatest pixel of an image. T and E are the paper's names for the types of result and pixel.
   macareu run maximum.c in.png */

#R2S_FUNC
static T maior(E pixel1, E pixel2) {
    return pixel1 > pixel2 ? pixel1 : pixel2; }
