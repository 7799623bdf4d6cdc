/// What an ``AccessUnitAssembler`` must know of a NAL unit.
package enum StreamUnitKind {
    case slice
    /// An SPS: what decoding can start with comes with it.
    case sequenceParameterSet
    case otherParameterSet
    /// SEI that can hold a recovery point.
    case messages
    case endOfSequence
    case other
    /// Its header breaks the standard.
    case malformed
}

/// The part of a slice that says to which picture it belongs.
package protocol StreamSlice {
    /// Not one of a redundant coded picture.
    var isPrimary: Bool { get }
    /// No other slice precedes it in its picture.
    var isFirstOfPicture: Bool { get }
    /// The id of the picture's SPS.
    var sequenceID: Int { get }
}

/// What the slices of a picture, or of the two fields of a frame, say of it.
package protocol StreamPicture {
    associatedtype Slice: StreamSlice

    init()

    /// There is a primary slice.
    var hasSlices: Bool { get }
    mutating func add(_ slice: Slice)
    /// Whether a primary slice after the primary slices so far begins another picture.
    func isFollowed(by slice: Slice) -> Bool

    /// The picture is a first field whose second one can follow.
    var mayHaveSecondField: Bool { get }
    func isSecondField(_ slice: Slice) -> Bool
    mutating func beginSecondField()

    /// Decoding can start with it, as its type says.
    var isRandomAccess: Bool { get }
    var isIntra: Bool { get }
    func attachments(isRecoveryPoint: Bool, reorders: Bool) -> SampleAttachments
}

/// Where a picture stands in output order.
package struct PicturePlace {
    package init(order: Int = 0, restartsOrder: Bool = false, isLeftOut: Bool = false) {
        self.order = order
        self.restartsOrder = restartsOrder
        self.isLeftOut = isLeftOut
    }

    /// Among the pictures since the last that `restartsOrder`.
    package var order = 0
    package var restartsOrder = false
    /// It refers to pictures before the one that decoding started with.
    package var isLeftOut = false
}

/// What differs between codecs for an ``AccessUnitAssembler``: headers, parameter sets, order.
package protocol StreamCodec {
    associatedtype Picture: StreamPicture

    init()

    static var videoCodec: VideoCodec { get }
    /// Bytes of a NAL unit's header.
    static var headerSize: Int { get }
    /// By the header's first bytes; nil for the second where the unit has none.
    static func look(_ first: UInt8, _ second: UInt8?) -> (kind: StreamUnitKind, standsBeforePicture: Bool)
    static func hasRecoveryPoint(_ unit: [UInt8]) -> Bool

    /// An SPS has come.
    var hasParameterSets: Bool { get }
    mutating func add(parameterSet unit: [UInt8]) throws(NaluError)

    /// Reads a slice's header; `head` may be its first bytes only.
    func slice(_ head: UnsafeRawBufferPointer) throws(NaluError) -> Picture.Slice
    /// Whether a slice whose header cannot be read begins a picture.
    static func beginsPicture(_ head: [UInt8]) -> Bool

    /// The first slice of the next picture. `isSynchronized`: what came before it can be decoded.
    mutating func place(_ slice: Picture.Slice, isSynchronized: Bool) -> PicturePlace
    /// The SPS of the slice's picture is from here on the active one. Throws where it must not be.
    mutating func activate(_ slice: Picture.Slice) throws(NaluError)
    /// Of the parameter sets that have come.
    var tally: ParameterSetTally { get }
    /// The parameter sets that make the format description of the slice's picture.
    func formatUnits(for slice: Picture.Slice) throws(NaluError) -> [[UInt8]]
    /// The same for whatever PPS has the lowest number; nil where there is none.
    func firstFormatUnits() throws(NaluError) -> [[UInt8]]?
    /// Whether reference pictures are missing before the slice's picture, as far as its numbers say.
    mutating func hasGap(before slice: Picture.Slice) -> Bool
    mutating func endSequence()
}

extension StreamCodec {
    package func slice(_ head: [UInt8]) throws(NaluError) -> Picture.Slice {
        unsafe try head.withBytes { (bytes) throws(NaluError) in unsafe try slice(bytes) }
    }
}
