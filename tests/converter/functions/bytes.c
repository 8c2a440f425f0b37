/* Bytes of a small window, into bytes: what is read is taken out of words. */
#N2P_FUNC
static unsigned char bytes(unsigned char pixel[3][5], int x, int y) {
    return (unsigned char)(pixel[0][0] - 2 * pixel[1][4] + 3 * pixel[2][2] + pixel[1][2] / 2);
}
