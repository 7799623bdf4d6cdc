internal import CSDL
internal import Nalu
internal import NaluBase

/// The picture that a window shows next. Any thread puts pictures, and the window's thread removes them.
final class PictureSlot: Sendable {
    private struct State {
        var next: PixelBuffer?
        /// The host time in nanoseconds at which the picture was put.
        var moment: Int64 = 0
        /// Pictures that were replaced before the window showed them.
        var replaced = 0
        /// Whether ``wake()`` was called since the last wait.
        var isAwake = false
    }

    private let state = Guarded(State())

    /// The pictures that were replaced before the window showed them.
    var replacedCount: Int { state.withLock { $0.replaced } }

    /// Makes the next picture available, and wakes the window.
    func put(_ picture: PixelBuffer) {
        let now = MonotonicClock.nanoseconds
        let former = state.change { state in
            let former = state.next
            if former != nil { state.replaced += 1 }
            (state.next, state.moment) = (picture, now)
            return former
        }
        // The former picture is released outside the lock.
        withExtendedLifetime(former) {}
    }

    func take() -> (picture: PixelBuffer, moment: Int64)? {
        state.withLock { state in
            guard let picture = state.next else { return nil }
            state.next = nil
            return (picture, state.moment)
        }
    }

    /// Waits for a picture or ``wake()``. Returns false if the time is over.
    func wait(milliseconds: Int) -> Bool {
        let isReady: Void? = state.wait(milliseconds: milliseconds) { state in
            guard state.isAwake || state.next != nil else { return nil }
            state.isAwake = false
        }
        return isReady != nil
    }

    /// Wakes the window without a picture.
    func wake() { state.change { $0.isAwake = true } }
}
