/* Two bytes a pixel, two pixels a word. */
#N2P_FUNC
static unsigned short halves(unsigned short pixel[3][3], int x, int y) {
    return (unsigned short)(pixel[0][0] * 3 + pixel[0][2] * 5 + pixel[2][0] * 7 + pixel[2][2] * 11 + pixel[1][1] + x + y);
}
