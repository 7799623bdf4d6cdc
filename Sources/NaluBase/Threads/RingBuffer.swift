/// A first-in, first-out queue that stops allocating once it has grown to what is needed.
package struct RingBuffer<Element> {
    private var slots: [Element?]
    private var head = 0
    package private(set) var count = 0

    package init(capacity: Int) {
        slots = Array(repeating: nil, count: max(1, capacity))
    }

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ element: Element) {
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
        count += 1
    }

    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        var element: Element?
        swap(&element, &slots[head])
        head = (head + 1) % slots.count
        count -= 1
        return element
    }

    /// The element at a distance from the front.
    package subscript(offset: Int) -> Element? {
        get { (0..<count).contains(offset) ? slots[(head + offset) % slots.count] : nil }
        set {
            guard (0..<count).contains(offset) else { return }
            slots[(head + offset) % slots.count] = newValue
        }
    }
}
