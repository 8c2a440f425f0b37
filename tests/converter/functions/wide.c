/* A window that is wider than what a thread of a GPU writes. */
#N2P_FUNC
static int wide(unsigned char pixel[5][9], int x, int y) {
    int sum = x - 3 * y;
    for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 9; ++i) sum += (i * 5 + j + 1) * pixel[j][i];
    return sum;
}
