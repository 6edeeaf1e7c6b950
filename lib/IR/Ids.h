// Strong handles of a graph's tensors and operators. An id is never reused in its graph, so a stale
// id is detected.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace tigris {

template <typename Tag> class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : index_(index) {}
  constexpr uint32_t index() const { return index_; }
  /// False for a default-constructed id: "no tensor", e.g. an omitted optional input.
  constexpr explicit operator bool() const { return index_ != None; }
  constexpr auto operator<=>(const Id&) const = default;

private:
  static constexpr uint32_t None = 0xFFFFFFFF;
  uint32_t index_ = None;
};

using TensorId = Id<struct TensorTag>;
using OpId = Id<struct OpTag>;

} // namespace tigris

template <typename Tag> struct std::hash<tigris::Id<Tag>> {
  size_t operator()(tigris::Id<Tag> id) const noexcept { return id.index(); }
};
