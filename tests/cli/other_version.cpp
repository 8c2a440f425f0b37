// A module whose interface is of no version that there ever was.
extern "C" const int macareu_vips_module;
const int macareu_vips_module = -1;
