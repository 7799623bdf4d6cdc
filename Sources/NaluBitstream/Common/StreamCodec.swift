/// The kind of a NAL unit, as far as an ``AccessUnitAssembler`` distinguishes it.
package enum StreamUnitKind {
    case slice
    /// An SPS. Decoding can start with an intra picture that follows one.
    case sequenceParameterSet
    case otherParameterSet
    /// SEI, which can contain a recovery point.
    case messages
    case endOfSequence
    case other
    /// A NAL unit whose header breaks the standard.
    case malformed
}

/// The place of a NAL unit, that is not a slice, among the slices of its access unit.
package enum StreamUnitPlace {
    /// The NAL unit may precede or follow slices. After a slice it belongs to the same access unit.
    case anywhere
    /// The NAL unit precedes the first slice. After a slice it begins the next access unit.
    case beforePicture
    /// The NAL unit may precede any slice, and belongs to the access unit of the next slice.
    case beforeSlice
}

/// The fields of a slice that identify its picture.
package protocol StreamSlice {
    /// Whether the slice belongs to the primary coded picture, not to a redundant one.
    var isPrimary: Bool { get }
    /// Whether the slice is the first one of its picture.
    var isFirstOfPicture: Bool { get }
    /// The header for ``PictureSlices``.
    var first: PictureSlices.First { get }
    /// The id of the picture's SPS.
    var sequenceID: Int { get }
    /// Returns the syntax elements of a picture timing message of the slice's picture; an empty list if the SPS
    /// excludes `pic_struct` from such messages.
    func elements(ofTiming message: SEIMessage) -> [SyntaxElement]
}

/// The properties of a picture, or of the two fields of a frame, collected from slices.
package protocol StreamPicture {
    associatedtype Slice: StreamSlice

    init()

    /// Whether a primary slice has been added.
    var hasSlices: Bool { get }
    mutating func add(_ slice: Slice)
    /// Whether `slice`, a primary slice, begins another picture than the slices added so far.
    func isFollowed(by slice: Slice) -> Bool

    /// Whether the picture is a first field that a second field can follow.
    var mayHaveSecondField: Bool { get }
    func isSecondField(_ slice: Slice) -> Bool
    mutating func beginSecondField()

    /// Whether decoding can start with the picture, by its type alone.
    var isRandomAccess: Bool { get }
    var isIntra: Bool { get }
    func attachments(isRecoveryPoint: Bool, reorders: Bool) -> SampleAttachments
}

/// The position of a picture in output order.
package struct PicturePlace {
    package init(order: Int = 0, restartsOrder: Bool = false, isLeftOut: Bool = false) {
        self.order = order
        self.restartsOrder = restartsOrder
        self.isLeftOut = isLeftOut
    }

    /// The picture order count, relative to the last picture that `restartsOrder`.
    package var order = 0
    package var restartsOrder = false
    /// Whether the picture refers to pictures before the one that decoding started with.
    package var isLeftOut = false
}

/// The codec-specific part of an ``AccessUnitAssembler``: headers, parameter sets, order.
package protocol StreamCodec {
    associatedtype Picture: StreamPicture

    init()

    static var videoCodec: VideoCodec { get }
    /// The size of a NAL unit header in bytes.
    static var headerSize: Int { get }
    /// Returns the kind of a NAL unit by its first two bytes, and its place in an access unit, which slices do not need.
    /// `second` is nil if the NAL unit has one byte.
    static func look(_ first: UInt8, _ second: UInt8?) -> (kind: StreamUnitKind, place: StreamUnitPlace)
    /// Returns the messages of an SEI NAL unit.
    static func messages(of unit: [UInt8]) -> [SEIMessage]

    /// Whether an SPS has arrived.
    var hasParameterSets: Bool { get }
    mutating func add(parameterSet unit: [UInt8]) throws(NaluError)

    /// Reads a slice header. The first bytes of the slice suffice as `head`.
    func slice(_ head: UnsafeRawBufferPointer) throws(NaluError) -> Picture.Slice
    /// Whether a slice whose header cannot be read begins a picture.
    static func beginsPicture(_ head: [UInt8]) -> Bool

    /// Returns the output position of the picture that `slice` begins. `isSynchronized`: decoding has started before
    /// it.
    mutating func place(_ slice: Picture.Slice, isSynchronized: Bool) -> PicturePlace
    /// Makes the SPS of the slice's picture the active one. Throws if the SPS must not change there.
    mutating func activate(_ slice: Picture.Slice) throws(NaluError)
    /// The amount of parameter sets received so far.
    var tally: ParameterSetTally { get }
    /// Returns the parameter sets of the format description of the slice's picture.
    func formatUnits(for slice: Picture.Slice) throws(NaluError) -> [[UInt8]]
    /// Returns the parameter sets of a format description for the PPS with the lowest id; nil if there is none.
    func firstFormatUnits() throws(NaluError) -> [[UInt8]]?
    /// Whether reference pictures are missing before the slice's picture, as far as `frame_num` shows.
    mutating func hasGap(before slice: Picture.Slice) -> Bool
    mutating func endSequence()
}

extension StreamCodec {
    package static func hasRecoveryPoint(_ unit: [UInt8]) -> Bool {
        messages(of: unit).contains { $0.type == .recoveryPoint }
    }

    package func slice(_ head: [UInt8]) throws(NaluError) -> Picture.Slice {
        unsafe try head.withBytes { (bytes) throws(NaluError) in unsafe try slice(bytes) }
    }
}
