/* Paper 4's first example: pixels above a threshold become white, others black.
   macareu run binarise.c in.png -o out.png --param tolerancia=27 */

#STRUCT
typedef struct{
    int tolerancia;
} data;

#P2P_FUNC
static unsigned char binarizador(unsigned char pixel, int index, data parametro){
    return pixel + parametro.tolerancia > 127 ? 255 : 0 ;
}
