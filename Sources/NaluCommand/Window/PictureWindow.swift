internal import CSDL
internal import Nalu
internal import NaluBase
private import NaluLibc
internal import NaluMedia

/// A window that shows the pictures of a ``PictureSlot``. Only the main thread uses it, as some systems require.
@safe
final class PictureWindow {
    /// A key, or a request to close the window.
    enum Event: Equatable {
        case close
        /// The character of a key, or one of the arrows ← → ↑ ↓.
        case key(Character)
    }

    struct Options {
        var isFullScreen = false
        /// Whether pictures are drawn while the screen is not read. This avoids torn pictures, and delays them.
        var isSynchronized = true
        var orientation = Orientation()
        /// The width of a pixel divided by its height.
        var pixelAspect = 1.0
        /// The matrix of YCbCr pictures.
        var matrix = ColorMatrix.itu709
    }

    let slot: PictureSlot
    private let window: OpaquePointer
    private let options: Options
    /// The time from a picture in the slot to its drawing.
    private(set) var draw = DelayMeter()
    private(set) var drawnCount = 0
    private var transfer = PixelTransfer()
    private var scratch: PixelBuffer?

    /// - Parameters:
    ///   - width, height: the size of a picture in pixels, before rotation.
    init(title: String, width: Int, height: Int, slot: PictureSlot, options: Options) throws(Failure) {
        try Self.loadLibrary()
        let isTurned = options.orientation.rotation % 180 != 0
        let across = max(1, Int((Double(width) * options.pixelAspect).rounded()))
        let flags =
            (options.isFullScreen ? Int32(NALU_WINDOW_FULL_SCREEN) : 0)
            | (options.isSynchronized ? Int32(NALU_WINDOW_SYNCHRONIZED) : 0)
        var made: OpaquePointer?
        let message = unsafe CText.written(512) { buffer, capacity in
            unsafe made = nalu_window_open(
                title, Int32(clamping: isTurned ? height : across), Int32(clamping: isTurned ? across : height), flags,
                buffer, capacity)
        }
        guard let made = unsafe made else {
            throw Failure(
                "cannot open a window: \(message); set DISPLAY to a running X11 server or WAYLAND_DISPLAY to a compositor, or run the command under xvfb-run"
            )
        }
        unsafe window = made
        self.slot = slot
        self.options = options
        unsafe nalu_window_set_shape(
            made, options.orientation.isMirrored, Int32(options.orientation.rotation / 90), options.pixelAspect)
    }

    /// Loads SDL2, so that a missing library is reported before anything else begins.
    static func loadLibrary() throws(Failure) {
        var result: Int32 = 0
        let message = unsafe CText.written(512) { unsafe result = nalu_sdl_load($0, $1) }
        if result != 0 { throw Failure("a window needs SDL2: \(message)") }
    }

    deinit { unsafe nalu_window_close(window) }

    func setTitle(_ title: String) { unsafe nalu_window_set_title(window, title) }

    func toggleFullScreen() { unsafe nalu_window_toggle_full_screen(window) }

    /// The longest time in milliseconds until a key is noticed while no picture arrives.
    private static let pollInterval = 10

    /// Waits for an event, for a picture that it draws, for ``PictureSlot/wake()``, or until the time is over.
    func wait(milliseconds: Int) -> Event? {
        let end = MonotonicClock.nanoseconds + Int64(milliseconds) * 1_000_000
        var event = nalu_window_next_event()
        while event.kind == Int32(NALU_EVENT_NONE) {
            let left = Int((end - MonotonicClock.nanoseconds + 999_999) / 1_000_000)
            if left <= 0 || slot.wait(milliseconds: min(left, Self.pollInterval)) { break }
            event = nalu_window_next_event()
        }
        if let next = slot.take() { show(next.picture, since: next.moment) }
        switch event.kind {
        case Int32(NALU_EVENT_QUIT): return .close
        case Int32(NALU_EVENT_KEY): return Self.key(event.key).map { .key($0) }
        case Int32(NALU_EVENT_REDRAW): unsafe nalu_window_draw(window)
        default: break
        }
        return nil
    }

    private static func key(_ number: Int32) -> Character? {
        switch number {
        case Int32(NALU_KEY_LEFT): "←"
        case Int32(NALU_KEY_RIGHT): "→"
        case Int32(NALU_KEY_UP): "↑"
        case Int32(NALU_KEY_DOWN): "↓"
        case 1..<0x80: UnicodeScalar(UInt32(number)).map { Character($0) }
        default: nil
        }
    }

    // MARK: Pictures

    private func show(_ buffer: PixelBuffer, since moment: Int64) {
        guard let picture = prepared(buffer) else { return }
        var copy = picture.fields
        guard unsafe nalu_window_set_picture(window, &copy) else { return }
        withExtendedLifetime(picture.buffer) { unsafe nalu_window_draw(window) }
        draw.add(from: moment, to: MonotonicClock.nanoseconds)
        drawnCount += 1
    }

    /// Describes a picture to SDL, which converts 4:2:0 by the matrices of BT.601 and BT.709, and full range by that of
    /// BT.601. Other pictures are converted to 4:2:0 in video range or, with another matrix, to RGB.
    private func prepared(_ buffer: PixelBuffer) -> (fields: nalu_window_picture, buffer: PixelBuffer)? {
        let format = buffer.format
        let isStandard = options.matrix == .itu601 || options.matrix == .itu709
        let isShown = isStandard && !(format.isFullRange && options.matrix == .itu709)
        var shown = buffer
        if format != .bgra && !(format.is420 && format.bitDepth == 8 && isShown) {
            if scratch?.width != buffer.width || scratch?.height != buffer.height {
                scratch = try? PixelBuffer(
                    format: isStandard ? .nv12 : .bgra, width: buffer.width, height: buffer.height)
            }
            guard let scratch, (try? transfer.transfer(from: buffer, to: scratch, matrix: options.matrix)) != nil else {
                return nil
            }
            shown = scratch
        }
        var fields = nalu_window_picture()
        fields.width = Int32(clamping: shown.width)
        fields.height = Int32(clamping: shown.height)
        fields.layout = Int32(
            shown.format == .bgra ? NALU_LAYOUT_BGRA : shown.format.isPlanar420 ? NALU_LAYOUT_I420 : NALU_LAYOUT_NV12)
        fields.colors = Int32(
            shown.format.isFullRange
                ? NALU_COLORS_BT601_FULL : options.matrix == .itu601 ? NALU_COLORS_BT601 : NALU_COLORS_BT709)
        unsafe fields.planes = (
            UnsafeRawPointer(shown.planeBaseAddress(0)), UnsafeRawPointer(shown.planeBaseAddress(1)),
            UnsafeRawPointer(shown.planeBaseAddress(2))
        )
        fields.strides = (
            Int32(clamping: shown.planeStride(0)), Int32(clamping: shown.planeStride(1)),
            Int32(clamping: shown.planeStride(2))
        )
        return (fields, shown)
    }
}
