// A project that uses the installed module: a filter by name, and the stock class with the autoload library.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <typeinfo>

#include <itkHMaximaImageFilter.h>

#include <macareu/itk/reconstruction.hpp>

using image = itk::Image<unsigned char, 2>;

template <class Filter>
image::Pointer run(Filter& filter) {
  auto input = image::New();
  input->SetRegions(image::SizeType{{30, 20}});
  input->Allocate();
  for (int i = 0; i < 600; ++i) input->GetBufferPointer()[i] = static_cast<unsigned char>(i * 37 % 251);
  filter.SetInput(input);
  filter.SetHeight(9);
  filter.Update();
  return filter.GetOutput();
}

int main() {
  auto named = macareu::itk::HMaximaImageFilter<image, image>::New();
  named->SetDevice("cpu");
  const auto first = run(*named);
  setenv("ITK_AUTOLOAD_PATH", AUTOLOAD_FOLDER, 1);
  itk::ObjectFactoryBase::ReHash();
  auto stock = itk::HMaximaImageFilter<image, image>::New();
  const auto& made = *stock;
  const std::string type = typeid(made).name();
  const auto second = run(*stock);
  const bool loaded = type.find("macareu") != std::string::npos;
  const bool same =
      std::equal(first->GetBufferPointer(), first->GetBufferPointer() + 600, second->GetBufferPointer());
  const bool changed = std::count(first->GetBufferPointer(), first->GetBufferPointer() + 600, 250) == 0;
  std::cout << "loaded " << loaded << ", same pixels " << same << ", lowered " << changed << '\n';
  return loaded && same && changed ? 0 : 1;
}
