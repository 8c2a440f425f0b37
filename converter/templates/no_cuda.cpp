
#ifndef WITH_CUDA
namespace cuda {

bool available(std::string& why) {
  why = "no GPU can be used: this program was built without CUDA";
  return false;
}

int devices() { return 0; }

@NO_CUDA_RUN@
}  // namespace cuda
#endif
