internal import Nalu
internal import NaluBase
internal import NaluMedia

/// The window that shows what is captured while it is encoded.
final class CapturePreview: Sendable {
    private let slot = PictureSlot()
    private let title: String

    init(device: String) { title = "\(device) - nalu capture" }

    /// Shows a picture, from any thread, without waiting for the window.
    func show(_ frame: CaptureSession.Frame) { slot.put(frame.buffer) }

    /// Makes the window look at the state of the run.
    func wake() { slot.wake() }

    /// Opens the window in the main thread.
    func open(_ capture: CaptureSession) throws(Failure) -> PictureWindow {
        let format = capture.videoFormat
        let (width, height) = (format?.widths.lowerBound ?? 640, format?.heights.lowerBound ?? 360)
        var options = PictureWindow.Options()
        // If drawing waited for the screen, pictures would be delayed.
        options.isSynchronized = false
        options.matrix = ColorMatrix(coefficients: format?.yCbCrMatrix ?? 2, height: height)
        return try PictureWindow(title: title, width: width, height: height, slot: slot, options: options)
    }

    /// Draws pictures for some milliseconds. Returns true if the user closes the window, or as soon as `isOver` returns
    /// true.
    static func isClosed(_ window: PictureWindow, within milliseconds: Int, orIf isOver: () -> Bool) -> Bool {
        let end = MonotonicClock.nanoseconds + Int64(milliseconds) * 1_000_000
        while !isOver() {
            let left = end - MonotonicClock.nanoseconds
            guard left > 0 else { return false }
            switch window.wait(milliseconds: Int(left / 1_000_000) + 1) {
            case .close, .key("q"), .key("\u{1b}"): return true
            case .key("f"): window.toggleFullScreen()
            default: break
            }
        }
        return true
    }
}
