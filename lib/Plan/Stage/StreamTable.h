// The streamed stages of a graph, for all orders.
#pragma once

#include "tigris/Plan/Stage/StreamCandidate.h"

#include <map>

namespace tigris {

/// Candidates for streamed stages by their ops, loads and spills, so that orders that have a run of
/// ops in common share its candidate. All views have the same graph, interface and alignment, and
/// live as long as the table.
class StreamTable {
public:
  /// `movedRows`: model inputs and outputs that are moved by rows. Others that are in the caller's
  /// buffers are whole there, and so are their views.
  StreamTable(const Graph& graph, std::vector<TensorId> movedRows)
      : access_(graph), rows_(access_), movedRows_(std::move(movedRows)) {}

  AccessTable& access() { return access_; }
  RowTable& rows() { return rows_; }
  /// Null if the ops of `stage` (draftInterface) cannot run row by row.
  StreamCandidate* find(const OrderView& view, const StageDraft& stage);

private:
  /// Ops, loads and spills, which of the loads and spills are in slow memory, and which are whole
  /// in the caller's buffers. That depends on the order.
  using Key = std::tuple<std::vector<OpId>, std::vector<TensorId>, std::vector<TensorId>,
                         std::vector<bool>, std::vector<TensorId>>;

  AccessTable access_;
  RowTable rows_;
  std::vector<TensorId> movedRows_;
  std::map<Key, std::optional<StreamCandidate>> candidates_;
};

} // namespace tigris
