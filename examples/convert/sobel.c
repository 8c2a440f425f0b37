/* Sobel's edges: the gradient's magnitude, at most 255. Marked by a pragma, so any C compiler takes the file.
   macareu run sobel.c in.png -o edges.png */
#include <math.h>

#pragma macareu n2p
static unsigned char sobel(unsigned char pixel[3][3], int x, int y) {
    int right = pixel[0][2] + 2 * pixel[1][2] + pixel[2][2];
    int left = pixel[0][0] + 2 * pixel[1][0] + pixel[2][0];
    int below = pixel[2][0] + 2 * pixel[2][1] + pixel[2][2];
    int above = pixel[0][0] + 2 * pixel[0][1] + pixel[0][2];
    int gx = right - left, gy = below - above;
    float magnitude = sqrtf((float)(gx * gx + gy * gy));
    return magnitude > 255 ? 255 : (unsigned char)magnitude;
}
