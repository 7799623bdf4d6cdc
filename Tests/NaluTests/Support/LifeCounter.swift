import Synchronization

@testable import Nalu

/// Counts live objects: any that remain at the end of a test have leaked.
final class LifeCounter: Sendable {
    private let alive = Atomic(0)
    private let made = Atomic(0)

    var count: Int { alive.load(ordering: .sequentiallyConsistent) }
    /// The number of objects created so far.
    var total: Int { made.load(ordering: .sequentiallyConsistent) }

    /// An object that counts while it is referenced.
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

    /// Creates a buffer filled with `value` that counts until its release.
    func makeBuffer(_ format: PixelFormat, _ width: Int, _ height: Int, value: UInt8) throws -> PixelBuffer {
        let memory = try PixelBuffer(filled: value, format, width, height)
        let life = make()
        return PixelBuffer(wrapping: memory.view) {
            withExtendedLifetime((memory, life)) {}
        }
    }
}

extension PixelBuffer {
    /// Creates a buffer filled with one value.
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

/// A weak reference.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    private final class Box: Sendable {
        weak let object: Object?
        init(_ object: Object) { self.object = object }
    }

    private let box: Box

    init(_ object: Object) { box = Box(object) }

    var object: Object? { box.object }
}
