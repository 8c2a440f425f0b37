#N2P_FUNC
static double doubles(double pixel[3][3], int x, int y) {
    double sum = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) sum = sum / 3 + pixel[j][i] * (1.1 + i - j);
    return sum;
}
