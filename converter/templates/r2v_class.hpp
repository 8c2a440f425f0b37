class R2V {
 public:
  /// The pixels must live until processa() has returned.
  R2V(const rule::pixel_type* imagem, long long altura, long long largura, int bins,
      rule::parameters parametro = {}, long long profundidade = 1) {
    work_.images[0] = imagem;
    work_.size = {profundidade, altura, largura};
    work_.bins = bins;
    work_.given = parametro;
  }
@MAT_CONSTRUCTOR@
  void processa(engine where = engine::automatic) {
    if (work_.bins < 1) throw std::invalid_argument("a vector of " + std::to_string(work_.bins) + " bins");
    vetorResultante.resize(static_cast<std::size_t>(work_.bins));
    work_.result = vetorResultante.data();
    std::string why;
    if (where == engine::automatic) where = cuda::available(why) ? engine::cuda : engine::openmp;
    if (where == engine::serial) serial::run(work_);
    if (where == engine::openmp) openmp::run(work_);
    if (where == engine::cuda) cuda::run(work_);
  }

  /// The result: one element per bin.
  std::vector<rule::result_type> vetorResultante;

 private:
  job work_;
@MAT_MEMBERS@};
