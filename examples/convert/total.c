/* The sum of all pixels of an image.
   macareu run total.c in.png */

#R2S_FUNC
static T total(E pixel1, E pixel2) { return pixel1 + pixel2; }
