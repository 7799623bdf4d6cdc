internal import CNalu

/// A sample that is kept until it is known whether another one follows.
@safe
final class HeldSample {
    let sample: OpaquePointer?
    let place: TrackTimes.Place
    let isKeyFrame: Bool

    init(_ sample: OpaquePointer?, _ place: TrackTimes.Place, isKeyFrame: Bool) {
        unsafe self.sample = unsafe nalu_sample_retain(sample)
        self.place = place
        self.isKeyFrame = isKeyFrame
    }

    deinit {
        unsafe nalu_sample_release(sample)
    }
}
