internal import Nalu
internal import NaluBase

/// The samples of the part that are copied, and the pictures that are encoded anew.
struct CutPlan {
    /// A sample in decode order.
    struct Entry {
        let presentation: MediaTime
        let decode: MediaTime
        /// An IDR picture of H.264; for H.265 also BLA.
        let isKey: Bool
        /// Decoding can begin with it.
        let isStart: Bool
        let isHidden: Bool
    }

    /// Pictures that are encoded anew, in presentation order, with the decode times of as many samples that they replace.
    struct Edge {
        var presentations: [MediaTime] = []
        var decodes: [MediaTime] = []
        var isEmpty: Bool { presentations.isEmpty }
    }

    /// The samples that are read, from the first that decoding needs on.
    let entries: [Entry]
    /// The indices of the copied entries.
    private(set) var copied = 0..<0
    /// The pictures that are encoded before and after the copied samples.
    private(set) var head = Edge()
    private(set) var tail = Edge()
    /// The samples of ``copied`` that are not in the part are copied too, and hidden.
    private(set) var hides = false
    /// The presentation times of the first and of the last picture of the part.
    let first: MediaTime
    let last: MediaTime
    /// True for H.265, which marks the leading pictures of a CRA picture, so that they can be left out.
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
            throw NaluError(.valueNotAvailable, "the input has no frame in this part")
        }
        (self.first, self.last) = (first, last)
        planEdges(wanted)
        if head.isEmpty && tail.isEmpty { return }
        let isOpen = copied.isEmpty && entries.contains { $0.isStart && isWanted($0) && $0.presentation > first }
        guard cannotEncode != nil || isOpen else { return }
        guard hidesAllowed else {
            let reason =
                cannotEncode ?? "the groups of pictures in this part are open (no key frame is an IDR picture)"
            throw NaluError(
                .unsupportedDataFormat,
                "\(reason), so that the part cannot begin or end here; expected an mp4 or mov output, whose edit list hides what is before and after it, or a transcoding\(keyHint)"
            )
        }
        try planHiding()
    }

    /// A start that needs no encoding.
    private var keyHint: String {
        let keys = entries.filter { $0.isKey && !$0.isHidden }.map(\.presentation)
        guard let key = keys.last(where: { $0 <= first }) ?? keys.first, key != first else { return "" }
        return ", or the start of a key frame, such as \(CutOptions.seconds(key)) s"
    }

    private static func contains(_ entry: Entry, _ start: MediaTime?, _ end: MediaTime?) -> Bool {
        !entry.isHidden && (start.map { entry.presentation >= $0 } ?? true)
            && (end.map { entry.presentation < $0 } ?? true)
    }

    /// True if the sample's picture is in the part.
    func isWanted(_ entry: Entry) -> Bool { Self.contains(entry, range.start, range.end) }

    private mutating func planEdges(_ wanted: [MediaTime]) {
        // Decoding can begin with the first picture of the part, or with a later one after which nothing is presented earlier.
        let begin =
            entries.firstIndex { isWanted($0) && ($0.isKey || ($0.isStart && $0.presentation == first && isHEVC)) }
        guard let begin else {
            head = edge(wanted, before: entries.count)
            return
        }
        let key = entries[begin].presentation
        head = edge(wanted.filter { $0 < key }, before: begin)
        // The copied samples end where all of them are presented before all that remain.
        var leastAfter = [MediaTime?](repeating: nil, count: entries.count + 1)
        for index in entries.indices.reversed() {
            let own = isWanted(entries[index]) ? entries[index].presentation : nil
            leastAfter[index] = [own, leastAfter[index + 1]].compactMap(\.self).min()
        }
        var (end, latest) = (begin, key)
        for index in begin..<entries.count {
            let entry = entries[index]
            // Leading pictures of the first one are not in the part, and nothing that is needs them.
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

    /// The pictures get the last decode times before a sample, one each: each is at or before the presentation time then.
    private func edge(_ wanted: [MediaTime], before index: Int) -> Edge {
        // Behind the last picture of the part others may follow, which were read to find its neighbours.
        let earlier = entries[..<index]
        guard let from = wanted.first else { return Edge() }
        let skipped = earlier.count { $0.presentation < from }
        return Edge(presentations: wanted, decodes: earlier.dropFirst(skipped).prefix(wanted.count).map(\.decode))
    }

    /// Everything from the first sample on is copied; the edit list hides what is not in the part.
    private mutating func planHiding() throws(NaluError) {
        guard let begin = entries.firstIndex(where: \.isStart), let end = entries.lastIndex(where: isWanted) else {
            throw NaluError(.badData, "the input has no key frame before this part, so that it cannot be decoded")
        }
        (head, tail, hides) = (Edge(), Edge(), true)
        copied = begin..<end + 1
    }
}
