// A long text as a row of pieces, some of which are in memory already.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// The pieces in order are the text. Megabytes that a tool passes on unchanged are shared with
/// their owner and not copied.
class TextPieces {
public:
  TextPieces() = default;
  explicit TextPieces(std::string text) { tail() = std::move(text); }

  /// The end of the text, to append to. Invalid after the next call of tail() or share().
  std::string& tail() {
    if (pieces_.empty() || pieces_.back().owner != nullptr)
      pieces_.emplace_back();
    return pieces_.back().own;
  }
  /// Appends text that `owner`, which is not null, keeps alive and unchanged. Short text is copied:
  /// each piece is written by itself.
  void share(std::string_view text, std::shared_ptr<const void> owner) {
    if (text.size() < ShortText)
      tail() += text;
    else
      pieces_.push_back({{}, text, std::move(owner)});
  }

  /// Valid until the text changes.
  std::vector<std::string_view> views() const {
    std::vector<std::string_view> views;
    views.reserve(pieces_.size());
    for (const Piece& piece : pieces_)
      views.push_back(piece.owner != nullptr ? piece.shared : std::string_view(piece.own));
    return views;
  }
  /// A copy in one piece.
  std::string str() const {
    size_t size = 0;
    for (const std::string_view piece : views())
      size += piece.size();
    std::string text;
    text.reserve(size);
    for (const std::string_view piece : views())
      text += piece;
    return text;
  }

private:
  static constexpr size_t ShortText = size_t{16} << 10;

  struct Piece {
    std::string own;
    std::string_view shared;
    std::shared_ptr<const void> owner;
  };
  std::vector<Piece> pieces_;
};

} // namespace tigris
