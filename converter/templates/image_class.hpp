class @CLASS@ {
 public:
  /// The pixels must live until processa() has returned.
@CONSTRUCTOR@
@IMAGE_ASSIGNMENTS@    work_.size = {profundidade, altura, largura};
    work_.given = parametro;
  }
@MAT_CONSTRUCTOR@
  void processa(engine where = engine::automatic) {
@BEFORE_RUN@    imagemResultante.resize(static_cast<std::size_t>(work_.size.pixels()));
    work_.result = imagemResultante.data();
    std::string why;
    if (where == engine::automatic) where = cuda::available(why) ? engine::cuda : engine::openmp;
    if (where == engine::serial) serial::run(work_);
    if (where == engine::openmp) openmp::run(work_);
    if (where == engine::cuda) cuda::run(work_);
  }

  /// The result, in row order.
  std::vector<rule::result_type> imagemResultante;
@EXTRA_MEMBERS@
 private:
  job work_;
@MAT_MEMBERS@};
