/// The type of a PCM value, in the byte order of the machine.
public enum AudioValueType: UInt32, Sendable {
    /// -32768 to 32767.
    case int16 = 1
    /// -1 to 1. Values beyond are limited, and NaN is silence.
    case float32 = 2

    /// The number of bytes.
    package var size: Int { self == .int16 ? 2 : 4 }
}
