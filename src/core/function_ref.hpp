// Non-owning reference to a callable. It allocates nothing, and functions that take it need not be templates.
#pragma once

#include <type_traits>
#include <utility>

namespace macareu {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  /// The callable must outlive the reference.
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref>)
      function_ref(Callable&& callable)  // NOLINT(google-explicit-constructor): as std::function
      : callable_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* of, Arguments... given) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(of))(std::forward<Arguments>(given)...);
        }) {}

  Result operator()(Arguments... given) const { return call_(callable_, std::forward<Arguments>(given)...); }

 private:
  void* callable_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace macareu
