private import NaluLibc

/// A camera, screen, microphone or test source, as it was when it was listed.
///
/// `@unchecked Sendable`: all stored properties are constant, and the C strings are never written.
@safe
public final class CaptureDevice: @unchecked Sendable {
    /// The kinds of devices.
    public struct Kinds: OptionSet, Sendable, Hashable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let camera = Kinds(rawValue: 1 << 0)
        public static let screen = Kinds(rawValue: 1 << 1)
        public static let microphone = Kinds(rawValue: 1 << 2)
        /// The test source, which needs no device.
        public static let test = Kinds(rawValue: 1 << 3)
        public static let all: Kinds = [.camera, .screen, .microphone, .test]
    }

    /// The identifier, which is the same each time the device is listed, for example `test` or `x11::0`.
    public let id: String
    /// The name for people.
    public let name: String
    /// Exactly one kind.
    public let kind: Kinds
    /// The video formats; the first one is the default.
    public let videoFormats: [CaptureVideoFormat]
    /// The audio formats; the first one is the default.
    public let audioFormats: [CaptureAudioFormat]
    /// Creates the source of a session.
    package let makeSource: CaptureSourceMaker

    /// The identifier and the name as C strings that live as long as the device; nil if there is no memory for them.
    package let cID: UnsafePointer<CChar>?
    package let cName: UnsafePointer<CChar>?

    /// - Parameter makeSource: creates a source that delivers what the request demands. It must not wait: the source
    ///   opens the device in ``CaptureSource/run(_:)``.
    package init(
        id: String, name: String, kind: Kinds, videoFormats: [CaptureVideoFormat] = [],
        audioFormats: [CaptureAudioFormat] = [], makeSource: @escaping CaptureSourceMaker
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.videoFormats = videoFormats
        self.audioFormats = audioFormats
        self.makeSource = makeSource
        unsafe cID = UnsafePointer(strdup(id))
        unsafe cName = UnsafePointer(strdup(name))
    }

    deinit {
        unsafe free(UnsafeMutablePointer(mutating: cID))
        unsafe free(UnsafeMutablePointer(mutating: cName))
    }
}
