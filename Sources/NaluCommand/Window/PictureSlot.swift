internal import CSDL
internal import Nalu
internal import NaluBase

/// The picture that a window shows next. Any thread puts pictures, and the window's thread takes them.
final class PictureSlot: Sendable {
    private struct State {
        var next: PixelBuffer?
        /// The host time in nanoseconds at which the picture was put.
        var moment: Int64 = 0
        /// Pictures that were replaced before the window showed them.
        var replaced = 0
        var wake: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())

    /// The pictures that were replaced before the window showed them.
    var replacedCount: Int { state.withLock { $0.replaced } }

    /// Makes the next picture available, and wakes the window.
    func put(_ picture: PixelBuffer) {
        let now = MonotonicClock.nanoseconds
        var former: PixelBuffer?
        let wake = state.withLock { state in
            former = state.next
            if former != nil { state.replaced += 1 }
            (state.next, state.moment) = (picture, now)
            return state.wake
        }
        // The former picture is released outside the lock.
        withExtendedLifetime(former) { wake?() }
    }

    func take() -> (picture: PixelBuffer, moment: Int64)? {
        state.withLock { state in
            guard let picture = state.next else { return nil }
            state.next = nil
            return (picture, state.moment)
        }
    }

    /// Sets the function that wakes the window; nil when the window closes.
    func setWake(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

    /// Wakes the window without a picture.
    func wake() { state.withLock { $0.wake }?() }
}
