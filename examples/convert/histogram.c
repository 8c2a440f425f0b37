/* How often each value occurs. atomicAdd(&saida[entrada], 1), as the paper writes it, is the same.
   macareu run histogram.c in.png -o histogram.csv */

#R2V_FUNC
static void histograma(unsigned char entrada, int* saida, int bins) {
    if (entrada < bins) saida[entrada]++;
}
