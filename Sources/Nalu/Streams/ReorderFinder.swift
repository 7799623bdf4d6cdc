/// Finds the reorder depth of a stream that does not state it, from picture order counts.
///
/// The counts grow by 1 or 2 from frame to frame (ITU-T H.264 8.2.1). If they grow by more, a later picture may belong
/// before this one, which is therefore delayed. If no such picture arrives before a decoder would output this one, the
/// stream has larger steps by itself. No picture is then delayed for this reason any more.
struct ReorderFinder {
    /// The most frames so far that precede another frame in decode order and follow it in output order.
    private(set) var depth = 0
    private let most: Int
    /// The order of the last displayed picture since the count restarted.
    private var last: Int?
    private var hasShown = false
    private var hasLargeSteps = false

    private static let step = 2

    /// - Parameter most: the most frames that a decoder of the stream may delay.
    init(most: Int) {
        self.most = most
    }

    /// Restarts the count. No picture waits at this time.
    mutating func restart() {
        last = nil
    }

    /// Notes the next picture in decode order. Returns whether ``depth`` has grown.
    mutating func meet(_ order: Int, waiting: some Sequence<Int>) -> Bool {
        var before = waiting.count { $0 > order }
        // The picture should have been displayed already.
        if let last, order < last { before += 1 }
        let former = depth
        depth = max(depth, min(before, most))
        return depth > former
    }

    /// Whether the first waiting picture in output order can be displayed.
    mutating func canShow(_ waiting: some Sequence<Int>) -> Bool {
        let orders = waiting.sorted()
        guard let first = orders.first, orders.count > depth else { return false }
        if orders.count > max(most, 1) {
            hasLargeSteps = hasLargeSteps || !isEven(orders)
            return true
        }
        if hasLargeSteps { return true }
        // At the beginning nothing is displayed before the depth is known, because all decode times depend on it.
        if !hasShown { return orders.count > 1 && isEven(orders) }
        return last.map { first &- $0 <= Self.step } ?? true
    }

    mutating func show(_ order: Int) {
        last = order
        hasShown = true
    }

    private func isEven(_ orders: [Int]) -> Bool {
        zip(orders.dropFirst(), orders).allSatisfy { $0 &- $1 <= Self.step }
            && (last.map { orders[0] &- $0 <= Self.step } ?? true)
    }
}
