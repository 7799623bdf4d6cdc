// base.h: versions, status names, the last error.

public import CNalu
internal import Nalu

@c @implementation
public func nalu_version() -> UInt32 {
    UInt32(NALU_VERSION_MAJOR * 1_000_000 + NALU_VERSION_MINOR * 1000 + NALU_VERSION_PATCH)
}

@c @implementation
public func nalu_version_string() -> UnsafePointer<CChar>? {
    unsafe Immortal.version
}

@c @implementation
public func nalu_status_string(_ status: nalu_status) -> UnsafePointer<CChar>? {
    unsafe Immortal.staticString(Status(rawValue: status).name)
}

@c @implementation
public func nalu_last_error_message() -> UnsafePointer<CChar>? {
    unsafe LastError.message
}

@c @implementation
public func nalu_set_last_error_message(_ message: UnsafePointer<CChar>?) {
    unsafe LastError.set(message.map { unsafe String(cString: $0) } ?? "")
}
