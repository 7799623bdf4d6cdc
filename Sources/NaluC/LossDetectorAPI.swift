// loss_detector.h: the detection of lost references.

public import CNalu
internal import Nalu

extension LossDetector: HandleObject { static var handleNoun: StaticString { "a nalu_loss_detector" } }

@c @implementation
public func nalu_loss_detector_create(_ detector_out: UnsafeMutablePointer<OpaquePointer?>?) -> nalu_status {
    unsafe create("detector_out", detector_out) { () throws(NaluError) in
        LossDetector()
    }
}

@c @implementation
public func nalu_loss_detector_retain(_ detector: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(detector, LossDetector.self)
    return unsafe detector
}

@c @implementation
public func nalu_loss_detector_release(_ detector: OpaquePointer?) {
    unsafe Handle.release(detector, LossDetector.self)
}

@c @implementation
public func nalu_loss_detector_check(
    _ detector: OpaquePointer?, _ sample: OpaquePointer?, _ loss_out: UnsafeMutablePointer<Int32>?
) -> nalu_status {
    unsafe loss_out?.pointee = 0
    return attempt { () throws(NaluError) in
        let detector = try unsafe Handle.required(detector, "detector", LossDetector.self)
        let sample = try unsafe Handle.required(sample, "sample", Sample.self)
        let loss_out = try unsafe required(loss_out, "loss_out")
        unsafe loss_out.pointee = try detector.look(at: sample).rawValue
    }
}
