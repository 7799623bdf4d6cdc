/// Times in a small picture, drawn with a font of 3 by 5 points.
enum Digits {
    private static let glyphs: [Character: [UInt8]] = [
        "0": [7, 5, 5, 5, 7], "1": [2, 6, 2, 2, 7], "2": [7, 1, 7, 4, 7], "3": [7, 1, 7, 1, 7], "4": [5, 5, 7, 1, 1],
        "5": [7, 4, 7, 1, 7], "6": [7, 4, 7, 5, 7], "7": [7, 1, 2, 2, 2], "8": [7, 5, 7, 5, 7], "9": [7, 5, 7, 1, 7],
        ":": [0, 2, 0, 2, 0], ".": [0, 0, 0, 0, 2], "-": [0, 0, 7, 0, 0],
    ]
    private static let size = 2

    /// Of the text with the margin around it.
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
