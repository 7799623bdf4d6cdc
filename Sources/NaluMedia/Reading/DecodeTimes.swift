/// Decode times for a container that has none, as in the samples of a session. The n-th sample in decode order gets the
/// (n - depth)-th smallest presentation time, where depth is the reorder depth. The first decode times lie before the
/// first presentation time.
struct DecodeTimes {
    private let depth: Int
    private var number = 0
    private var window: [Int64] = []
    private var first: Int64 = 0
    private var step: Int64 = 1

    init(depth: Int) {
        self.depth = depth
    }

    /// The number of samples that must be known before the first decode time can be computed; 0 after the first sample.
    var lookahead: Int { number == 0 && depth > 0 ? depth + 2 : 0 }

    /// Returns the decode time of the next sample in decode order.
    ///
    /// - Parameter following: the presentation times of the samples after the first one. Only the first call uses
    ///   them.
    mutating func next(_ presentation: Int64, following: [Int64]) -> Int64 {
        guard depth > 0 else { return presentation }
        if number == 0 {
            let known = (following + [presentation]).sorted()
            first = known[0]
            step = known.first { $0 > first }.map { $0 &- first } ?? 1
        }
        let place = window.firstIndex { $0 > presentation } ?? window.count
        window.insert(presentation, at: place)
        number += 1
        guard number > depth else { return first &- Int64(depth - number + 1) &* step }
        return window.removeFirst()
    }
}
