/* Three bytes a pixel: no power of two. */
typedef struct {
    unsigned char red, green, blue;
} colour;

#N2P_FUNC
static colour colours(colour pixel[3][3], int x, int y) {
    colour result = pixel[0][2];
    result.green = (unsigned char)((pixel[2][0].green + pixel[1][1].blue) / 2);
    result.blue ^= pixel[2][2].red;
    return result;
}
