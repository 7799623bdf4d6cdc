private import CV4L2
internal import Nalu
private import NaluLibc

/// Provides the kernel's cameras by Video4Linux2, if PipeWire has no camera. PipeWire's session manager opens the
/// kernel's cameras itself, and lists them for all programs.
enum V4L2Provider: CaptureProvider {
    static var kinds: CaptureDevice.Kinds { .camera }

    /// The beginning of the identifiers, which the device's path follows.
    private static let prefix = "v4l2:"

    static func devices(_ kinds: CaptureDevice.Kinds) throws(NaluError) -> [CaptureDevice] {
        if let others = try? PipeWireProvider.devices(.camera), !others.isEmpty { return [] }
        return present()
    }

    static func observer(_ kinds: CaptureDevice.Kinds) -> () throws(NaluError) -> [CaptureDevice] {
        var cache = V4L2CameraCache<CaptureDevice>()
        return {
            if let others = try? PipeWireProvider.devices(.camera), !others.isEmpty { return [] }
            return (0..<Int(NALU_V4L2_MOST_CAMERAS)).compactMap { number in
                let path = "/dev/video\(number)"
                return cache.camera(
                    path, node: SystemCalls.status(path).map(V4L2CameraCache.Node.init), isVirtual: isVirtual(number),
                    describe: device)
            }
        }
    }

    /// Whether a program provides a device, for example by v4l2loopback.
    private static func isVirtual(_ number: Int) -> Bool {
        SystemCalls.target(ofLink: "/sys/class/video4linux/video\(number)")?.contains("/devices/virtual/") ?? false
    }

    static func device(_ identifier: String) throws(NaluError) -> CaptureDevice? {
        guard identifier.hasPrefix(prefix) else { return nil }
        if let found = device(path: String(identifier.dropFirst(prefix.count))) { return found }
        let known = present().map(\.id)
        throw NaluError(
            .valueNotAvailable,
            "there is no camera \"\(NaluError.excerpt(identifier))\", or its pictures have no known format; "
                + "expected \(known.isEmpty ? "a connected camera" : "one of \(known.joined(separator: ", "))")")
    }

    private static func present() -> [CaptureDevice] {
        (0..<Int(NALU_V4L2_MOST_CAMERAS)).compactMap { device(path: "/dev/video\($0)") }
    }

    private static func device(path: String) -> CaptureDevice? {
        guard let (name, formats) = CameraFormat.describe(path) else { return nil }
        return CaptureDevice(id: prefix + path, name: name, kind: .camera, videoFormats: formats.distinctVideo) {
            request throws(NaluError) in V4L2Source(path: path, request, formats: formats)
        }
    }
}

extension V4L2CameraCache.Node {
    fileprivate init(_ status: stat) {
        self.init(
            device: UInt64(status.st_rdev), inode: UInt64(status.st_ino), seconds: Int64(status.st_ctim.tv_sec),
            nanoseconds: Int64(status.st_ctim.tv_nsec))
    }
}
