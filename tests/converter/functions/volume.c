#N2P_FUNC
static int volume(unsigned short pixel[3][3][3], int x, int y, int z) {
    int sum = x + 2 * y + 3 * z;
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i) sum += (9 * k + 3 * j + i + 1) * pixel[k][j][i];
    return sum;
}
