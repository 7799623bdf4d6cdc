internal import CX11
internal import Nalu
internal import NaluBase

/// A connection to an X server, used by one thread at a time.
///
/// `@unchecked Sendable`: the thread that connects hands the object over, and only one thread uses it afterwards.
@safe
final class X11Connection: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe nalu_x11_close(pointer)
    }

    /// The longest wait for the server, in milliseconds.
    static let limit: Int32 = 2000

    /// The state of an attempt to connect, which the connecting and the waiting thread share.
    private enum Attempt {
        case pending, abandoned
        case done(X11Connection?)
    }

    /// Connects to a display. A stopped server never answers, so a separate thread connects, and is abandoned after
    /// ``limit``.
    ///
    /// Throws `.couldNotCreateInstance` for a missing library, and `.inputOutput` if the server does not answer.
    static func connect(to display: String) throws(NaluError) -> X11Connection {
        var result: Int32 = 0
        let message = unsafe CText.written(1024) { unsafe result = nalu_x11_load($0, $1) }
        guard result == 0 else { throw NaluError(.couldNotCreateInstance, "screens need X11: \(message)") }
        let attempt = Guarded(Attempt.pending)
        try WorkerThread.start {
            let connection = unsafe nalu_x11_connect(display).map { unsafe X11Connection($0) }
            attempt.change { state in
                if case .pending = state { state = .done(connection) }
            }
        }
        let done = attempt.wait(milliseconds: Int(limit)) { state -> X11Connection?? in
            if case .done(let connection) = state { return .some(connection) }
            return nil
        }
        guard let done else {
            attempt.change { if case .pending = $0 { $0 = .abandoned } }
            throw NaluError(.inputOutput, "the X server of the display \(display) has not answered within 2 seconds")
        }
        guard let connection = done else {
            throw NaluError(
                .inputOutput,
                "there is no X server at the display \"\(NaluError.excerpt(display))\", or it refuses the connection; check DISPLAY and XAUTHORITY"
            )
        }
        return connection
    }

    /// The root windows of the server, the default screen first.
    var screens: [(number: Int, window: UInt32, width: Int, height: Int)] {
        let first = unsafe nalu_x11_default_screen(pointer)
        let numbers = unsafe (0..<nalu_x11_screen_count(pointer)).sorted { a, b in a == first && b != first }
        return numbers.compactMap { number in
            var (window, width, height): (UInt32, Int32, Int32) = (0, 0, 0)
            guard unsafe nalu_x11_screen(pointer, number, &window, &width, &height) else { return nil }
            return (Int(number), window, Int(width), Int(height))
        }
    }

    /// A monitor, and the part of a screen that it shows.
    struct Monitor {
        let name: String
        let region: PixelRegion
    }

    /// Returns the monitors of a screen, the primary one first. There are none without RandR 1.5.
    func monitors(of window: UInt32) throws(NaluError) -> [Monitor] {
        var found = [nalu_x11_monitor](repeating: nalu_x11_monitor(), count: Int(NALU_X11_MOST_MONITORS))
        var count: Int32 = 0
        let result = unsafe nalu_x11_monitors(pointer, window, &found, &count)
        if let error = Self.error(result, "the screen") { throw error }
        let listed = found.prefix(Int(count))
        return (listed.filter(\.is_primary) + listed.filter { !$0.is_primary }).map { monitor in
            var name = monitor.name
            let text = unsafe withUnsafeBytes(of: &name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return Monitor(
                name: text,
                region: PixelRegion(
                    x: Int(monitor.x), y: Int(monitor.y), width: Int(monitor.width), height: Int(monitor.height)))
        }
    }

    /// Returns the size of a window. Throws `.inputOutput` for a failure.
    func size(of window: UInt32, _ name: String) throws(NaluError) -> (width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        let result = unsafe nalu_x11_size(pointer, window, &width, &height)
        if let error = Self.error(result, name) { throw error }
        return (Int(width), Int(height))
    }

    /// Returns the error of a result of CX11; nil for success, and for a wait that the session has stopped.
    static func error(_ result: Int32, _ name: String) -> NaluError? {
        switch Int(result) {
        case Int(NALU_X11_OK), Int(NALU_X11_STOPPED): nil
        case Int(NALU_X11_TIMEOUT):
            NaluError(.inputOutput, "the X server of \(name) has not answered within 2 seconds")
        case Int(NALU_X11_LOST): NaluError(.inputOutput, "the X server of \(name) has closed the connection")
        case Int(NALU_X11_REFUSED):
            NaluError(
                .inputOutput, "\(name) is gone, is hidden, or has another size than before; start the capture again")
        case Int(NALU_X11_NO_MEMORY): NaluError(.allocationFailed, "there is no memory for the pictures of \(name)")
        default:
            NaluError(
                .unsupportedDataFormat, "the pixels of \(name) are not BGRA; expected a screen of 24 bits per pixel")
        }
    }
}
