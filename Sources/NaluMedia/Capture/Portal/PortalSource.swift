private import CPortal
internal import Nalu

/// Asks the desktop's portal for a screen or window, and captures it by PipeWire.
struct PortalSource: CaptureSource {
    private let request: CaptureRequest

    /// The longest time in milliseconds that the user has; the session's start has a limit of its own.
    private static let patience: Int32 = 600_000

    init(_ request: CaptureRequest) {
        self.request = request
    }

    func run(_ sink: CaptureSink) throws(NaluError) {
        var portal: OpaquePointer?
        var screen = nalu_portal_screen()
        var result: Int32 = 0
        let message = unsafe PortalText.written {
            result = unsafe nalu_portal_open(
                request.showsCursor, request.restoreToken, sink.stopDescriptor, Self.patience, &portal, &screen, $0)
        }
        if result == Int32(NALU_PORTAL_STOPPED) { return }
        guard result == 0, let portal = unsafe portal else { throw PortalText.error(result, message) }
        // The portal shares the screen as long as the connection to it exists.
        defer { unsafe nalu_portal_close(portal) }
        if request.restoreToken != nil {
            sink.noteRestoreToken(unsafe String(cString: nalu_portal_get_token(&screen)))
        }
        try PipeWireSource(
            .screen(node: screen.node, descriptor: screen.descriptor), request, formats: []
        ).run(sink)
    }
}
