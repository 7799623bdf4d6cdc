private import CNalu

/// The version, read from where it is written, `nalu/base.h`.
enum ToolVersion {
    static let text = "\(NALU_VERSION_MAJOR).\(NALU_VERSION_MINOR).\(NALU_VERSION_PATCH)"
}
