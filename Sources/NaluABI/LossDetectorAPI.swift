// loss_detector.h: where references have been lost.

public import CNalu
internal import Nalu

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
    _ detector: OpaquePointer?, _ sample: OpaquePointer?, _ missing_out: UnsafeMutablePointer<Int32>?
) -> nalu_status {
    unsafe missing_out?.pointee = 0
    return attempt { () throws(NaluError) in
        let detector = try unsafe Handle.required(detector, "detector", LossDetector.self)
        let sample = try unsafe Handle.required(sample, "sample", Sample.self)
        let missing_out = try unsafe required(missing_out, "missing_out")
        unsafe missing_out.pointee = try detector.look(at: sample).rawValue
    }
}
