import Synchronization

@testable import Nalu

/// Counts objects that are alive: what is left over at a test's end has leaked.
final class LifeCounter: Sendable {
    private let alive = Atomic(0)
    private let made = Atomic(0)

    var count: Int { alive.load(ordering: .sequentiallyConsistent) }
    /// How many there have been.
    var total: Int { made.load(ordering: .sequentiallyConsistent) }

    /// One object. Whoever holds it is counted.
    final class Life: Sendable {
        private let counter: LifeCounter

        fileprivate init(_ counter: LifeCounter) {
            self.counter = counter
            counter.alive.add(1, ordering: .sequentiallyConsistent)
            counter.made.add(1, ordering: .sequentiallyConsistent)
        }

        deinit { counter.alive.subtract(1, ordering: .sequentiallyConsistent) }
    }

    func make() -> Life { Life(self) }

    /// A buffer that counts until it is gone, every byte of it `value`.
    func makeBuffer(_ format: PixelFormat, _ width: Int, _ height: Int, value: UInt8) throws -> PixelBuffer {
        let memory = try PixelBuffer(filled: value, format, width, height)
        let life = make()
        return PixelBuffer(wrapping: memory.view) {
            withExtendedLifetime((memory, life)) {}
        }
    }
}

extension PixelBuffer {
    /// A buffer of one value throughout.
    convenience init(filled value: UInt8, _ format: PixelFormat, _ width: Int, _ height: Int) throws(NaluError) {
        try self.init(format: format, width: width, height: height)
        fill(value)
    }

    func fill(_ value: UInt8) {
        for plane in 0..<planeCount {
            withPlaneBytes(plane) { bytes in
                for index in bytes.indices { bytes[index] = value }
            }
        }
    }
}

/// A reference that does not keep its object.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    private final class Box: Sendable {
        weak let object: Object?
        init(_ object: Object) { self.object = object }
    }

    private let box: Box

    init(_ object: Object) { box = Box(object) }

    var object: Object? { box.object }
}
