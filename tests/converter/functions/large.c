/* The largest window. */
#N2P_FUNC
static int large(unsigned char pixel[31][31], int x, int y) {
    int sum = 0;
    for (int j = 0; j < 31; ++j)
        for (int i = 0; i < 31; ++i) sum += (i ^ j) * pixel[j][i];
    return sum;
}
