/// A first-in, first-out queue that stops allocating when it has grown to the needed size.
///
/// Inlinable, because every frame passes through it. Without inlining, other modules would look up its type at run time
/// for every call.
@usableFromInline package struct RingBuffer<Element> {
    @usableFromInline var slots: [Element?]
    @usableFromInline var head = 0
    @usableFromInline var used = 0

    @inlinable package init(capacity: Int) {
        slots = Array(repeating: nil, count: max(1, capacity))
    }

    @inlinable package var count: Int { used }
    @inlinable package var isEmpty: Bool { used == 0 }

    @inlinable package mutating func append(_ element: Element) {
        if count == slots.count {
            var grown: [Element?] = []
            grown.reserveCapacity(slots.count * 2)
            for offset in 0..<count {
                grown.append(slots[(head + offset) % slots.count])
            }
            grown.append(contentsOf: repeatElement(nil, count: slots.count * 2 - count))
            slots = grown
            head = 0
        }
        slots[(head + count) % slots.count] = element
        used += 1
    }

    @inlinable package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        var element: Element?
        swap(&element, &slots[head])
        head = (head + 1) % slots.count
        used -= 1
        return element
    }

    /// The element at `offset` from the front; nil if there is none.
    @inlinable package subscript(offset: Int) -> Element? {
        get { (0..<count).contains(offset) ? slots[(head + offset) % slots.count] : nil }
        set {
            guard (0..<count).contains(offset) else { return }
            slots[(head + offset) % slots.count] = newValue
        }
    }
}

extension RingBuffer: Sendable where Element: Sendable {}
