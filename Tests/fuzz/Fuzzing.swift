/// What the fuzz targets share. A property that does not hold stops the program, which libFuzzer reports with the input.
enum Fuzzing {
    static func require(_ condition: Bool, _ property: StaticString) {
        if !condition {
            fatalError("does not hold: \(property)")
        }
    }

    static func input(_ data: UnsafePointer<UInt8>?, _ size: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: data, count: size)
    }
}
