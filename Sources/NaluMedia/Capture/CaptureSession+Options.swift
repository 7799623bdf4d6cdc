public import Nalu

extension CaptureSession {
    /// The options of a capture session.
    public struct Options: Sendable {
        /// The size of the pictures in pixels, 1 to 16384; nil: the device's size, 1280 x 720 for the test source. Both
        /// must be set or nil. Pictures of another size are scaled.
        public var width: Int?
        public var height: Int?
        /// The format of the pictures; nil: the device's format if no scaling is needed, otherwise `'420v'`. Pictures can
        /// be converted to 4:2:0 formats of 8 and 10 bits.
        public var pixelFormat: PixelFormat?
        /// The most pixel buffers in use at a time, 4 to 256.
        public var maximumBufferCount = 16
        /// The time from picture to picture, 1/1000 s to 10 s; nil: 1/30 s or the device's only rate.
        public var frameDuration: MediaTime?
        /// The part of a screen, from its top left corner; nil: the entire screen.
        public var region: PixelRegion?
        /// Draws the pointer into the pictures of a screen.
        public var showsCursor = false
        /// How often the desktop of a Wayland screen asks for permission: nil, at each start; `""`, at the first start, after
        /// which ``CaptureSession/restoreToken`` has a token; an earlier token, if possible not at all. At most 1023 bytes.
        /// Screens of X11 need no permission, and accept it without effect.
        public var restoreToken: String?
        /// The device for audio; nil: the session's device if it has audio.
        public var audioDevice: CaptureDevice?
        /// Audio frames per second, 8000 to 192000.
        public var sampleRate = 48_000
        /// Audio channels, 1 to 8; nil: the device's channels, at most 2.
        public var channelCount: Int?
        /// The longest time in seconds that ``CaptureSession/start()`` waits for the devices, 0.1 to 600.
        public var startTimeout = 10.0

        let spelling: Spelling

        public init() {
            self.init(spelling: .ofProcess)
        }

        package init(spelling: Spelling) {
            self.spelling = spelling
        }
    }
}
