internal import Nalu
internal import NaluBase

/// The plan of a cut: the samples of the range that are copied, and the pictures at its edges that are encoded again.
struct CutPlan {
    /// A sample in decode order.
    struct Entry {
        let presentation: MediaTime
        let decode: MediaTime
        /// Whether the sample is an IDR picture, or a BLA picture of H.265.
        let isKey: Bool
        /// Whether decoding can begin with the sample.
        let isStart: Bool
        let isHidden: Bool
    }

    /// Pictures that are encoded again, in presentation order, with the decode times of the samples that they replace.
    struct Edge {
        var presentations: [MediaTime] = []
        var decodes: [MediaTime] = []
        var isEmpty: Bool { presentations.isEmpty }
    }

    /// The samples that were read, in decode order, from the first that decoding needs.
    let entries: [Entry]
    /// The indices of the copied entries.
    private(set) var copied = 0..<0
    /// The pictures that are encoded before and after the copied samples.
    private(set) var head = Edge()
    private(set) var tail = Edge()
    /// Whether the samples of ``copied`` outside the range are copied too, and hidden by the edit list.
    private(set) var hides = false
    /// The presentation times of the range's first and last pictures.
    let first: MediaTime
    let last: MediaTime
    /// Whether the stream is H.265. It marks the leading pictures of a CRA picture, so that these can be left out.
    private let isHEVC: Bool
    private let range: (start: MediaTime?, end: MediaTime?)

    /// - Parameter cannotEncode: the reason why a session cannot match the stream; nil if it can.
    init(
        _ entries: [Entry], start: MediaTime?, end: MediaTime?, isHEVC: Bool, hidesAllowed: Bool, cannotEncode: String?
    ) throws(NaluError) {
        self.entries = entries
        range = (start, end)
        self.isHEVC = isHEVC
        let wanted = entries.filter { Self.contains($0, start, end) }.map(\.presentation).sorted()
        guard let first = wanted.first, let last = wanted.last else {
            throw NaluError(.valueNotAvailable, "the input has no frame in this range")
        }
        (self.first, self.last) = (first, last)
        planEdges(wanted)
        if head.isEmpty && tail.isEmpty { return }
        let isOpen = copied.isEmpty && entries.contains { $0.isStart && isWanted($0) && $0.presentation > first }
        guard cannotEncode != nil || isOpen else { return }
        guard hidesAllowed else {
            let reason =
                cannotEncode ?? "the groups of pictures in this range are open (no key frame is an IDR picture)"
            throw NaluError(
                .unsupportedDataFormat,
                "\(reason), so that the part cannot begin or end here; expected an mp4 or mov output, whose edit list hides the frames before and after it, or transcoding\(keyHint)"
            )
        }
        try planHiding()
    }

    /// A hint for the error message: a start that needs no encoding; "" if there is none.
    private var keyHint: String {
        let keys = entries.filter { $0.isKey && !$0.isHidden }.map(\.presentation)
        guard let key = keys.last(where: { $0 <= first }) ?? keys.first, key != first else { return "" }
        return ", or the start of a key frame, such as \(key.secondsText) s"
    }

    private static func contains(_ entry: Entry, _ start: MediaTime?, _ end: MediaTime?) -> Bool {
        !entry.isHidden && (start.map { entry.presentation >= $0 } ?? true)
            && (end.map { entry.presentation < $0 } ?? true)
    }

    /// Returns whether the sample's picture is in the range.
    func isWanted(_ entry: Entry) -> Bool { Self.contains(entry, range.start, range.end) }

    private mutating func planEdges(_ wanted: [MediaTime]) {
        // Decoding can begin with the first picture of the range, or with a later one after which no earlier picture
        // follows.
        let begin =
            entries.firstIndex { isWanted($0) && ($0.isKey || ($0.isStart && $0.presentation == first && isHEVC)) }
        guard let begin else {
            head = edge(wanted, before: entries.count)
            return
        }
        let key = entries[begin].presentation
        head = edge(wanted.filter { $0 < key }, before: begin)
        // The copied samples end at the last place where all of them are presented before all that follow.
        var leastAfter = [MediaTime?](repeating: nil, count: entries.count + 1)
        for index in entries.indices.reversed() {
            let own = isWanted(entries[index]) ? entries[index].presentation : nil
            leastAfter[index] = [own, leastAfter[index + 1]].compactMap(\.self).min()
        }
        var (end, latest) = (begin, key)
        for index in begin..<entries.count {
            let entry = entries[index]
            // Leading pictures of the first copied picture are not copied, and no picture of the range needs them.
            if entry.presentation < key { continue }
            guard isWanted(entry) else { break }
            latest = max(latest, entry.presentation)
            if leastAfter[index + 1].map({ $0 > latest }) ?? true { end = index + 1 }
        }
        copied = begin..<end
        let latestCopied = entries[copied].filter(isWanted).map(\.presentation).max() ?? key
        tail.presentations = wanted.filter { $0 > latestCopied }
        tail.decodes = entries[end...].prefix(tail.presentations.count).map(\.decode)
    }

    /// Returns the pictures with the decode times of samples before `index`, one each. No decode time is then after its
    /// presentation time.
    private func edge(_ wanted: [MediaTime], before index: Int) -> Edge {
        // Pictures after the range may be among the entries, because they were read to find the neighbours of its last
        // picture.
        let earlier = entries[..<index]
        guard let from = wanted.first else { return Edge() }
        let skipped = earlier.count { $0.presentation < from }
        return Edge(presentations: wanted, decodes: earlier.dropFirst(skipped).prefix(wanted.count).map(\.decode))
    }

    /// Copies everything from the first sample on. The edit list hides the pictures outside the range.
    private mutating func planHiding() throws(NaluError) {
        guard let begin = entries.firstIndex(where: \.isStart), let end = entries.lastIndex(where: isWanted) else {
            throw NaluError(.badData, "the input has no key frame before this range, so the range cannot be decoded")
        }
        (head, tail, hides) = (Edge(), Edge(), true)
        copied = begin..<end + 1
    }
}
