internal import Nalu
private import NaluLibc
internal import NaluMedia

/// A file that keeps the permission to capture a screen of Wayland, so that the desktop asks once.
struct ScreenPermission: Sendable {
    let path: String

    /// The most bytes that are read. The session refuses a token of this length.
    private static let mostBytes = 4096
    /// The permissions of the file: the owner's only, since whoever can read the file can capture the screen.
    private static let mode: mode_t = 0o600

    /// Returns the token; "" without a file, so that the desktop asks and remembers the answer.
    func read() throws(Failure) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return "" }
            throw .system("cannot read \(path)")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe NaluLibc.read(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .system("cannot read \(path)") }
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Keeps the token of a session that captures. A token serves once, so the file is replaced at each start.
    func write(tokenOf session: CaptureSession) throws(Failure) {
        guard let token = session.restoreToken else { return }
        let unfinished = "\(path).part"
        let file = unsafe open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, Self.mode)
        guard file >= 0 else { throw .unwritable(path) }
        let bytes = Array("\(token)\n".utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe NaluLibc.write(file, $0.baseAddress, $0.count) }
        let number = errno
        close(file)
        guard count == bytes.count, unsafe rename(unfinished, path) == 0 else {
            let failure = Failure.unwritable(path, count == bytes.count ? errno : number)
            _ = unsafe unlink(unfinished)
            throw failure
        }
    }
}
