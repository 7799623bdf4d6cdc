@testable import Nalu

/// A list that several threads may append to.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// A session for its own handler to find, which holds no reference that cannot be taken away.
final class SessionBox: Sendable {
    private let held = Guarded<FakeSession?>(nil)

    var fake: FakeSession? {
        get { held.withLock { $0 } }
        set {
            // The last reference must not go while the lock is held.
            let old = held.withLock { held in
                defer { held = newValue }
                return held
            }
            _ = old
        }
    }
}
