/* Colour to grey: a pixel is a struct whose members are the channels.
   macareu run colour.c photo.ppm -o grey.pgm */

typedef struct {
    unsigned char red, green, blue;
} colour;

#P2P_FUNC
static unsigned char luminance(colour pixel, int index) {
    return (299 * pixel.red + 587 * pixel.green + 114 * pixel.blue + 500) / 1000;
}
