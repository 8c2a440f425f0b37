/* More slices than a GPU's registers hold windows of. */
#N2P_FUNC
static float deep(float pixel[9][3][5], int x, int y, int z) {
    float sum = 0;
    for (int k = 0; k < 9; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 5; ++i) sum += pixel[k][j][i] / (float)(1 + i + j + k);
    return sum;
}
