/// A status number of the C interface: 0 is success, negative numbers are failures.
///
/// A status that also exists in VideoToolbox has VideoToolbox's number. Nalu's own numbers lie between -17999 and
/// -17900.
public struct Status: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    public static let ok = Status(rawValue: 0)
    public static let invalidPixelFormat = Status(rawValue: -6680)
    public static let invalidSize = Status(rawValue: -6681)
    public static let multiPassStorageInvalid = Status(rawValue: -12214)
    public static let valueNotAvailable = Status(rawValue: -12718)
    public static let propertyNotSupported = Status(rawValue: -12900)
    public static let propertyReadOnly = Status(rawValue: -12901)
    public static let parameter = Status(rawValue: -12902)
    public static let invalidSession = Status(rawValue: -12903)
    public static let allocationFailed = Status(rawValue: -12904)
    public static let pixelTransferNotSupported = Status(rawValue: -12905)
    public static let couldNotFindVideoDecoder = Status(rawValue: -12906)
    public static let couldNotCreateInstance = Status(rawValue: -12907)
    public static let couldNotFindVideoEncoder = Status(rawValue: -12908)
    public static let badData = Status(rawValue: -12909)
    public static let unsupportedDataFormat = Status(rawValue: -12910)
    public static let decoderMalfunction = Status(rawValue: -12911)
    public static let encoderMalfunction = Status(rawValue: -12912)
    public static let referenceMissing = Status(rawValue: -17694)
    public static let wouldBlock = Status(rawValue: -17900)
    public static let reentrant = Status(rawValue: -17901)
    public static let wrongType = Status(rawValue: -17902)
    public static let outOfRange = Status(rawValue: -17903)
    public static let tooLate = Status(rawValue: -17904)
    public static let conflict = Status(rawValue: -17905)
    public static let invalidHandle = Status(rawValue: -17906)
    public static let invalidTime = Status(rawValue: -17907)
    public static let bufferTooSmall = Status(rawValue: -17908)
    public static let unsupportedOption = Status(rawValue: -17909)
    public static let outOfOrder = Status(rawValue: -17910)
    public static let inputOutput = Status(rawValue: -17911)
    public static let cancelled = Status(rawValue: -17912)

    /// The name of the status in the C header, without prefix; "UNKNOWN" for any other number.
    public var name: StaticString {
        switch self {
        case .ok: "OK"
        case .invalidPixelFormat: "INVALID_PIXEL_FORMAT"
        case .invalidSize: "INVALID_SIZE"
        case .multiPassStorageInvalid: "MULTI_PASS_STORAGE_INVALID"
        case .valueNotAvailable: "VALUE_NOT_AVAILABLE"
        case .propertyNotSupported: "PROPERTY_NOT_SUPPORTED"
        case .propertyReadOnly: "PROPERTY_READ_ONLY"
        case .parameter: "PARAMETER"
        case .invalidSession: "INVALID_SESSION"
        case .allocationFailed: "ALLOCATION_FAILED"
        case .pixelTransferNotSupported: "PIXEL_TRANSFER_NOT_SUPPORTED"
        case .couldNotFindVideoDecoder: "COULD_NOT_FIND_VIDEO_DECODER"
        case .couldNotCreateInstance: "COULD_NOT_CREATE_INSTANCE"
        case .couldNotFindVideoEncoder: "COULD_NOT_FIND_VIDEO_ENCODER"
        case .badData: "BAD_DATA"
        case .unsupportedDataFormat: "UNSUPPORTED_DATA_FORMAT"
        case .decoderMalfunction: "DECODER_MALFUNCTION"
        case .encoderMalfunction: "ENCODER_MALFUNCTION"
        case .referenceMissing: "REFERENCE_MISSING"
        case .wouldBlock: "WOULD_BLOCK"
        case .reentrant: "REENTRANT"
        case .wrongType: "WRONG_TYPE"
        case .outOfRange: "OUT_OF_RANGE"
        case .tooLate: "TOO_LATE"
        case .conflict: "CONFLICT"
        case .invalidHandle: "INVALID_HANDLE"
        case .invalidTime: "INVALID_TIME"
        case .bufferTooSmall: "BUFFER_TOO_SMALL"
        case .unsupportedOption: "UNSUPPORTED_OPTION"
        case .outOfOrder: "OUT_OF_ORDER"
        case .inputOutput: "INPUT_OUTPUT"
        case .cancelled: "CANCELLED"
        default: "UNKNOWN"
        }
    }
}
