/// Finds how much a stream reorders that does not say it, by its picture order counts.
///
/// From frame to frame these grow by 1 or 2 (ITU-T H.264 8.2.1). Where they grow by more, something that comes later may belong
/// before the picture, and is waited for. When nothing has come by the time that a decoder would output the picture, the
/// stream has such steps by itself, and none is waited for any more.
struct ReorderFinder {
    /// The most frames so far that came before another one in decode order and after it in output order.
    private(set) var depth = 0
    private let most: Int
    /// The order of the picture shown last, since the count began.
    private var last: Int?
    private var hasShown = false
    private var hasLargeSteps = false

    private static let step = 2

    /// - Parameter most: frames that a decoder of the stream may hold back.
    init(most: Int) {
        self.most = most
    }

    /// The count begins again; nothing waits.
    mutating func restart() {
        last = nil
    }

    /// The next picture comes, in decode order. Whether ``depth`` has grown.
    mutating func meet(_ order: Int, waiting: some Sequence<Int>) -> Bool {
        var before = waiting.count { $0 > order }
        // It should have been shown by now.
        if let last, order < last { before += 1 }
        let former = depth
        depth = max(depth, min(before, most))
        return depth > former
    }

    /// Whether the first one of those that wait, in output order, can be shown.
    mutating func canShow(_ waiting: some Sequence<Int>) -> Bool {
        let orders = waiting.sorted()
        guard let first = orders.first, orders.count > depth else { return false }
        if orders.count > max(most, 1) {
            hasLargeSteps = hasLargeSteps || !isEven(orders)
            return true
        }
        if hasLargeSteps { return true }
        // At the beginning nothing is shown before the depth is known, which the decode times of all depend on.
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
