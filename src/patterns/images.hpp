// Access to an engine's images, whatever their type (patterns/engine.hpp).
#pragma once

#include <cstddef>
#include <type_traits>

namespace macareu {

struct call;

template <class Engine, class T>
using image_in = typename Engine::template image_of<T>;

template <class Image>
using pixel_of = std::remove_const_t<typename Image::pixel>;

template <class T, class Engine>
image_in<Engine, const T> input(Engine& engine, const call& call, std::size_t index) {
  return engine.template input<T>(call, index);
}
template <class T, class Engine>
image_in<Engine, T> output(Engine& engine, const call& call, std::size_t index) {
  return engine.template output<T>(call, index);
}
/// Has the shape of another image, or that of a frame.
template <class T, class Engine, class Like>
auto temporary(Engine& engine, const Like& like) {
  return engine.template temporary<T>(like);
}

}  // namespace macareu
