internal import Nalu
private import NaluMedia

/// Puts evenly spaced frames of the file into one picture, each with its time.
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

    /// - Parameter frames: the number of frames in the file.
    init(_ output: OutputFile, _ size: SheetSize, frames: Int, facts: VideoFacts, orientation: Orientation) {
        self.output = output
        self.size = size
        self.frames = frames
        thumbnail = Thumbnail(of: facts, orientation: orientation, longest: Self.longest)
        sheet = RGBPicture(
            width: Self.gap + size.columns * (thumbnail.width + Self.gap),
            height: Self.gap + size.rows * (thumbnail.height + Digits.height + Self.gap), gray: 24)
    }

    func write(_ image: PixelBuffer, of frame: TimedFrame) {
        defer { number += 1 }
        guard shown < size.count, number * size.count >= shown * frames else { return }
        let x = Self.gap + shown % size.columns * (thumbnail.width + Self.gap)
        let y = Self.gap + shown / size.columns * (thumbnail.height + Digits.height + Self.gap)
        thumbnail.draw(image, into: &sheet, x: x, y: y)
        Digits.draw(Self.text(frame.time.seconds), into: &sheet, x: x, y: y + thumbnail.height)
        shown += 1
    }

    /// Returns a time as text, for example "1:02.345".
    private static func text(_ seconds: Double) -> String {
        let sign = seconds < 0 ? "-" : ""
        let rest = seconds.magnitude
        let minutes = (rest / 60).rounded(.down)
        let part = NumberText.decimal(rest - minutes * 60, places: 3)
        return "\(sign)\(NumberText.decimal(minutes, places: 0)):" + (part.count < 6 ? "0" : "") + part
    }

    func finish() throws {
        let bytes = try PNGEncoder.encode(rgb: sheet.bytes, width: sheet.width, height: sheet.height)
        try output.write(bytes)
    }
}

/// A picture with one byte each of R, G and B per pixel, row by row.
struct RGBPicture {
    let width: Int
    let height: Int
    private(set) var bytes: [UInt8]

    init(width: Int, height: Int, gray: UInt8) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: gray, count: 3 * width * height)
    }

    mutating func set(_ x: Int, _ y: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        guard x >= 0, y >= 0, x < width, y < height else { return }
        let index = 3 * (y * width + x)
        bytes[index] = red
        bytes[index + 1] = green
        bytes[index + 2] = blue
    }
}

/// Draws times into a picture with a font of 3 by 5 pixels.
enum Digits {
    private static let glyphs: [Character: [UInt8]] = [
        "0": [7, 5, 5, 5, 7], "1": [2, 6, 2, 2, 7], "2": [7, 1, 7, 4, 7], "3": [7, 1, 7, 1, 7], "4": [5, 5, 7, 1, 1],
        "5": [7, 4, 7, 1, 7], "6": [7, 4, 7, 5, 7], "7": [7, 1, 2, 2, 2], "8": [7, 5, 7, 5, 7], "9": [7, 5, 7, 1, 7],
        ":": [0, 2, 0, 2, 0], ".": [0, 0, 0, 0, 2], "-": [0, 0, 7, 0, 0],
    ]
    private static let size = 2

    /// The height of the text with its margin.
    static let height = 5 * size + 6

    static func draw(_ text: String, into sheet: inout RGBPicture, x left: Int, y top: Int) {
        for (index, character) in text.enumerated() {
            for (row, bits) in (glyphs[character] ?? []).enumerated() {
                for column in 0..<3 where bits >> (2 - column) & 1 == 1 {
                    for dot in 0..<size * size {
                        let x = left + (index * 4 + column) * size + dot % size
                        sheet.set(x, top + 3 + row * size + dot / size, 235, 235, 235)
                    }
                }
            }
        }
    }
}
