/// The QPs that an encoder with a quality uses for frames without offsets, as far as is known.
///
/// The encoder limits its QP to the session's bounds before it adds an offset. An offset must therefore be computed from
/// the limited QP: from the unlimited one, a lowest QP of 45 would be added to a quality's 28 as 17, and become 62.
struct BaseQP: Equatable {
    let ofKeyFrames: Double
    let ofOthers: Double

    /// The difference between the QPs of other frames and of key frames.
    private static let keyDifference = 3.0

    /// - Parameters:
    ///   - quality: the QP of the quality.
    ///   - bounds: the QPs that the encoder may use.
    init(quality: Double, bounds: ClosedRange<Double>) {
        ofKeyFrames = (quality - Self.keyDifference).clamped(to: bounds)
        ofOthers = quality.clamped(to: bounds)
    }

    /// Returns the offset that changes a frame from this quality to another one.
    func offset(to other: BaseQP, isKeyFrame: Bool) -> Double {
        isKeyFrame ? other.ofKeyFrames - ofKeyFrames : other.ofOthers - ofOthers
    }
}
