/// T is the type of the result; pixels are converted to it.
template <class T>
class R2S {
 public:
  /// The pixels must live until processa() has returned.
  R2S(const rule::pixel_type* imagem, long long altura, long long largura, rule::parameters parametro = {},
      long long profundidade = 1) {
    work_.images[0] = imagem;
    work_.size = {profundidade, altura, largura};
    work_.given = parametro;
  }
@MAT_CONSTRUCTOR@
  T processa(engine where = engine::automatic) {
    if (work_.size.pixels() == 0) throw std::invalid_argument("an image without pixels cannot be reduced");
    std::string why;
    if (where == engine::automatic) where = cuda::available(why) ? engine::cuda : engine::openmp;
    return where == engine::serial ? serial::run<T>(work_)
           : where == engine::cuda ? cuda::run<T>(work_)
                                   : openmp::run<T>(work_);
  }

 private:
  job work_;
@MAT_MEMBERS@};
