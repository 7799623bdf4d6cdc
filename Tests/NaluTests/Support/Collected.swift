@testable import Nalu

/// A list to which several threads may append.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// A session for its own handler, with a reference that can be removed.
final class SessionBox: Sendable {
    private let held = Guarded<FakeSession?>(nil)

    var fake: FakeSession? {
        get { held.withLock { $0 } }
        set {
            // The last reference must not be released while the lock is held.
            let old = held.withLock { held in
                defer { held = newValue }
                return held
            }
            _ = old
        }
    }
}
