/// Elements in the order in which they were appended. Removing the first takes constant time on average.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    /// The number of empty places at the beginning of the array that are kept before they are removed.
    private static var mostTaken: Int { 64 }

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    /// The element at an index from 0 to ``count`` - 1.
    subscript(index: Int) -> Element? { elements[head + index] }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Puts elements before all others.
    mutating func prepend(_ earlier: [Element]) {
        elements = earlier + elements[head...]
        head = 0
    }

    /// Removes and returns the first element; nil if the queue is empty.
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if isEmpty {
            removeAll()
        } else if head > Self.mostTaken && 2 * head > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func remove(at index: Int) { elements.remove(at: head + index) }

    mutating func removeAll() {
        elements.removeAll(keepingCapacity: true)
        head = 0
    }
}
