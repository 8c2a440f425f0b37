// A module whose interfaces are of no version that there ever was.
extern "C" const int macareu_vips_module, macareu_cuda_module;
const int macareu_vips_module = -1;
const int macareu_cuda_module = -1;
