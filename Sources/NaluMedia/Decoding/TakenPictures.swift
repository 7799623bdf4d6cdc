internal import CFFmpeg
internal import NaluBase

/// Delivers pictures in decode order. FFmpeg returns pictures of streams with reordering later than it decodes them,
/// and has no option to change that. A picture is therefore taken when the decoder requests its memory, and delivered
/// when the decoder is done with the sample.
final class TakenPictures: Sendable {
    private struct State {
        var current: DecodedPicture?
        /// The picture of the previous sample, which a second field completes.
        var last: DecodedPicture?
        var isOver = false
        var number: UInt64 = 0
    }

    private let state = Monitor(State())
    private let isHEVC: Bool

    init(isHEVC: Bool) {
        self.isHEVC = isHEVC
    }

    /// Begins the next sample.
    func beginSample(_ number: UInt64) {
        change { state in
            state.number = number
            state.current = nil
            state.isOver = false
        }
    }

    /// Discards the picture of a sample at which the decoder failed.
    func giveUp() {
        change { state in
            state.current = nil
            state.isOver = true
        }
    }

    /// Keeps the picture that the decoder writes to. If one sample begins several pictures, the others replace missing
    /// ones: in H.264 those before the sample's own, in H.265 those after it.
    func take(_ frame: FFmpegStruct<AVFrame>) {
        guard let picture = DecodedPicture(sharing: frame) else { return }
        change { state in
            if !isHEVC || state.current == nil { state.current = picture }
        }
    }

    /// Returns the sample's picture, once.
    ///
    /// - Parameter mayBeSecondField: whether a sample that began no picture may have completed the previous one.
    func pop(mayBeSecondField: Bool) -> DecodedPicture? {
        let found = popAny(mayBeSecondField: mayBeSecondField)
        if let number = try? state.locked({ $0.number }) {
            found?.number = number
        }
        return found
    }

    private func popAny(mayBeSecondField: Bool) -> DecodedPicture? {
        change { state in
            if state.isOver { return nil }
            state.isOver = true
            guard let current = state.current else {
                defer { state.last = nil }
                return state.last
            }
            state.current = nil
            state.last = mayBeSecondField ? DecodedPicture(sharing: current.fields) : nil
            return current
        }
    }

    func forget() {
        change { $0 = State() }
    }

    /// Changes the state. The former pictures are released outside the lock.
    @discardableResult
    private func change<Result>(_ body: (inout State) -> Result?) -> Result? {
        var before = State()
        defer { withExtendedLifetime(before) {} }
        return try? state.locked { state in
            before = state
            return body(&state)
        }
    }
}
