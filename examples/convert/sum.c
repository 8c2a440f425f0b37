/* The sum of two images; values above 255 become 255.
   macareu run sum.c a.png b.png -o out.png */

#P2P_FUNC
static unsigned char soma(unsigned char a, unsigned char b, int index) {
    return a + b > 255 ? 255 : a + b;
}
