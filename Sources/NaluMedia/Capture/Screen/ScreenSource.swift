internal import CX11
internal import Nalu
internal import NaluBase

/// Takes pictures of an X11 screen or window at a fixed rate. Each picture comes through memory that is shared with the
/// server, or through the connection if the server is on another machine.
struct ScreenSource: CaptureSource {
    /// The window, or the part of a window, that is captured.
    enum Target {
        /// The number of a screen.
        case screen(Int)
        /// The number of a screen, and the name of a monitor that shows a part of it.
        case monitor(Int, String)
        case window(UInt32)

        /// The name for people.
        var name: String {
            switch self {
            case .screen: "Screen"
            case .monitor(_, let name): "Monitor \(name)"
            case .window: "Window"
            }
        }
    }

    private let request: CaptureRequest
    private let id: String
    private let display: String
    private let target: Target

    init(_ request: CaptureRequest, id: String, display: String, _ target: Target) {
        self.request = request
        self.id = id
        self.display = display
        self.target = target
    }

    func run(_ sink: CaptureSink) throws(NaluError) {
        let connection = try X11Connection.connect(to: display)
        unsafe nalu_x11_set_limits(connection.pointer, sink.stopDescriptor, X11Connection.limit)
        let target = try window(connection)
        let size = try connection.size(of: target, id)
        let monitor = try monitor(connection, target)
        if sink.isStopped { return }
        let region = try region(in: monitor ?? PixelRegion(x: 0, y: 0, width: size.width, height: size.height))
        let prepared = unsafe nalu_x11_prepare(connection.pointer, Int32(region.width), Int32(region.height), true)
        if let error = X11Connection.error(prepared, id) { throw error }

        var pace = FramePace(request.frameDuration ?? MediaTime(value: 1, timescale: 30))
        try sink.begin(
            video: CaptureVideoFormat(
                .bgra, width: region.width, height: region.height, frameDuration: pace.frameDuration), audio: nil)
        while sink.sleep(until: pace.nextTime) {
            sink.noteMissed(pace.advance(to: MonotonicClock.nanoseconds))
            let time = MonotonicClock.nanoseconds
            var pixels: UnsafeMutablePointer<UInt8>?
            let result = unsafe nalu_x11_grab(
                connection.pointer, target, Int32(region.x), Int32(region.y), Int32(size.width), Int32(size.height),
                request.showsCursor, &pixels)
            if let error = X11Connection.error(result, id) { throw error }
            guard result == 0, let pixels = unsafe pixels else { return }
            let bytes = unsafe UnsafeRawBufferPointer(start: pixels, count: region.width * region.height * 4)
            let view = try unsafe PixelView.validated(
                format: .bgra, width: region.width, height: region.height, planes: [bytes], strides: [region.width * 4])
            try sink.deliver(copying: view, at: time)
        }
    }

    private func window(_ connection: X11Connection) throws(NaluError) -> UInt32 {
        switch target {
        case .window(let window): return window
        case .screen(let number), .monitor(let number, _):
            guard let screen = connection.screens.first(where: { $0.number == number }) else { throw gone }
            return screen.window
        }
    }

    /// Returns the part of the screen that the monitor shows; nil for screens and windows.
    private func monitor(_ connection: X11Connection, _ window: UInt32) throws(NaluError) -> PixelRegion? {
        guard case .monitor(_, let name) = target else { return nil }
        guard let found = try connection.monitors(of: window).first(where: { $0.name == name }) else { throw gone }
        return found.region
    }

    private var gone: NaluError { NaluError(.inputOutput, "\(id) is gone; list the devices again") }

    /// Returns the part to capture, in pixels of the window. Throws `.invalidSize` if it is not inside `whole`.
    private func region(in whole: PixelRegion) throws(NaluError) -> PixelRegion {
        guard let region = request.region else {
            guard 1...16384 ~= whole.width, 1...16384 ~= whole.height else {
                throw NaluError(
                    .invalidSize,
                    "\(id) has \(whole.width)x\(whole.height) pixels; expected a region of at most 16384x16384")
            }
            return whole
        }
        guard region.x + region.width <= whole.width, region.y + region.height <= whole.height else {
            throw NaluError(
                .invalidSize,
                "the region is \(region.width)x\(region.height) at \(region.x),\(region.y); expected one inside \(id), which has \(whole.width)x\(whole.height) pixels"
            )
        }
        return PixelRegion(x: whole.x + region.x, y: whole.y + region.y, width: region.width, height: region.height)
    }
}
