// The object factory, and how overrides are listed.
#pragma once

#include <typeinfo>

#include <itkImage.h>
#include <itkObjectFactoryBase.h>
#include <itkVersion.h>

namespace macareu::itk {

class Factory : public ::itk::ObjectFactoryBase {
 public:
  ITK_DISALLOW_COPY_AND_MOVE(Factory);
  using Self = Factory;
  using Superclass = ::itk::ObjectFactoryBase;
  using Pointer = ::itk::SmartPointer<Self>;
  using ConstPointer = ::itk::SmartPointer<const Self>;
  static Pointer New() {
    Pointer made = new Self;
    made->UnRegister();
    return made;
  }

  const char* GetITKSourceVersion() const override { return ITK_SOURCE_VERSION; }
  const char* GetDescription() const override { return "Macareu: filters that compute what ITK's own do"; }

  template <class TStock, class TOurs>
  void Override() {
    RegisterOverride(typeid(TStock).name(), typeid(TOurs).name(), "Macareu", true,
                     ::itk::CreateObjectFunction<TOurs>::New());
  }

 protected:
  Factory();
  ~Factory() override = default;
};

/// add.template operator()<T, 2>() and <T, 3>() for every type.
template <class... T, class Add>
void for_types(const Add& add) {
  (add.template operator()<T, 2>(), ...);
  (add.template operator()<T, 3>(), ...);
}

void override_canny(Factory& factory);
void override_filters(Factory& factory);
void override_labels(Factory& factory);
void override_masks(Factory& factory);
void override_reconstruction(Factory& factory);

}  // namespace macareu::itk
