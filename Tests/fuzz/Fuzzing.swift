/// Shared code of the fuzz targets. A violated property stops the program, and libFuzzer reports the input.
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
