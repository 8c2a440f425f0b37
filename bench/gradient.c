/* The magnitude that the operator sobel gives, as a function for the converter: u8 to f32. gradient.json is its
   description: macareu convert bench/gradient.c -o bench/gradient.json */
#include <math.h>

#pragma macareu n2p
static float gradient(unsigned char pixel[3][3], int x, int y) {
    int right = pixel[0][2] + 2 * pixel[1][2] + pixel[2][2];
    int left = pixel[0][0] + 2 * pixel[1][0] + pixel[2][0];
    int below = pixel[2][0] + 2 * pixel[2][1] + pixel[2][2];
    int above = pixel[0][0] + 2 * pixel[0][1] + pixel[0][2];
    int gx = right - left, gy = below - above;
    return sqrtf((float)(gx * gx + gy * gy));
}
