/// A picture of R, G and B, a byte each, row by row.
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
