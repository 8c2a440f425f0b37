/* Sums of floats, which have one order. */
#include <math.h>

#N2P_FUNC
static float floats(float pixel[7][3], int x, int y) {
    float sum = 0.1f;
    for (int j = 0; j < 7; ++j)
        for (int i = 0; i < 3; ++i) sum = sum * 1.01f + pixel[j][i] * (0.3f + i) / (1.7f + j);
    return sqrtf(sum);
}
