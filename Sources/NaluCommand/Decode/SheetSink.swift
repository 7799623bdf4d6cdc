internal import Nalu
private import NaluMedia

/// Puts frames that are evenly spread over the file into one picture, each with its time.
final class SheetSink: FrameSink {
    private static let longest = 320
    private static let gap = 8

    private let output: OutputFile
    private let size: SheetSize
    private let frames: Int
    private let thumbnail: Thumbnail
    private var sheet: RGBPicture
    private var number = 0
    private var shown = 0

    /// - Parameter frames: how many will come.
    init(_ output: OutputFile, _ size: SheetSize, frames: Int, facts: VideoFacts, rotation: Int) {
        self.output = output
        self.size = size
        self.frames = frames
        thumbnail = Thumbnail(of: facts, rotation: rotation, longest: Self.longest)
        sheet = RGBPicture(
            width: Self.gap + size.columns * (thumbnail.width + Self.gap),
            height: Self.gap + size.rows * (thumbnail.height + Digits.height + Self.gap), gray: 24)
    }

    func write(_ image: PixelBuffer, at time: MediaTime) {
        defer { number += 1 }
        guard shown < size.count, number * size.count >= shown * frames else { return }
        let x = Self.gap + shown % size.columns * (thumbnail.width + Self.gap)
        let y = Self.gap + shown / size.columns * (thumbnail.height + Digits.height + Self.gap)
        thumbnail.draw(image, into: &sheet, x: x, y: y)
        Digits.draw(Self.text(time.seconds), into: &sheet, x: x, y: y + thumbnail.height)
        shown += 1
    }

    /// "1:02.345".
    private static func text(_ seconds: Double) -> String {
        let sign = seconds < 0 ? "-" : ""
        let rest = seconds.magnitude
        let minutes = (rest / 60).rounded(.down)
        let part = NumberText.decimal(rest - minutes * 60, places: 3)
        return "\(sign)\(NumberText.decimal(minutes, places: 0)):" + (part.count < 6 ? "0" : "") + part
    }

    func finish() throws {
        let bytes = try PNGEncoder.encode(rgb: sheet.bytes, width: sheet.width, height: sheet.height)
        let result: Result<Void, Failure> = unsafe bytes.withUnsafeBytes { bytes in
            do throws(Failure) {
                return .success(try unsafe output.write(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
