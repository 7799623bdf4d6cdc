internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// The pictures and the current parameter sets of a track, read from the NAL units of its samples.
///
/// An enumeration is faster here than a protocol. The compiler makes code for each codec if it sees the type; otherwise
/// every call looks up types.
enum SampleReading {
    case h264(CodecSampleReading<H264StreamCodec>)
    case hevc(CodecSampleReading<HEVCStreamCodec>)

    /// - Parameter lengthSize: the size of the length prefixes in the samples, in bytes.
    init(_ codec: VideoCodec, lengthSize: Int, container: ContainerPicture) {
        switch codec {
        case .h264: self = .h264(CodecSampleReading(lengthSize: lengthSize, container: container))
        case .hevc: self = .hevc(CodecSampleReading(lengthSize: lengthSize, container: container))
        }
    }

    /// The latest format description; the same object until a parameter set changes.
    var format: FormatDescription? {
        switch self {
        case .h264(let reading): reading.format
        case .hevc(let reading): reading.format
        }
    }

    /// Replaces all known parameter sets by those of a format description.
    func replace(with format: FormatDescription) {
        switch self {
        case .h264(let reading): reading.replace(with: format)
        case .hevc(let reading): reading.replace(with: format)
        }
    }

    /// Begins another sample, to which the NAL units added later belong.
    func begin() {
        switch self {
        case .h264(let reading): reading.begin()
        case .hevc(let reading): reading.begin()
        }
    }

    /// Adds one NAL unit. Returns whether it is a parameter set that must be removed from the sample. New parameter
    /// sets between the two fields of a frame stay, because the sample's format description cannot contain them.
    func add(_ unit: Span<UInt8>) -> Bool {
        switch self {
        case .h264(let reading): reading.add(unit)
        case .hevc(let reading): reading.add(unit)
        }
    }

    /// Updates ``format`` for the picture that was added. Throws if its parameter sets cannot be read.
    func update() throws(NaluError) {
        switch self {
        case .h264(let reading): try reading.update()
        case .hevc(let reading): try reading.update()
        }
    }

    /// Returns the place of the added picture in output order; nil if no slice can be read. Must be called once for
    /// each sample.
    func place() -> PicturePlace? {
        switch self {
        case .h264(let reading): reading.place()
        case .hevc(let reading): reading.place()
        }
    }

    /// The slices of the added sample; nil if its NAL units must be read again to find losses.
    var slices: PictureSlices? {
        switch self {
        case .h264(let reading): reading.slices
        case .hevc(let reading): reading.slices
        }
    }

    /// Whether the added NAL units belong to a picture, or cannot be read. False for those beside a picture, as an end of
    /// sequence.
    var hasPicture: Bool {
        switch self {
        case .h264(let reading): reading.hasPicture
        case .hevc(let reading): reading.hasPicture
        }
    }

    /// Returns the same as ``place()``, ahead of the samples. Packets must be passed from the first on.
    func placeAlone(_ packet: Span<UInt8>, _ maker: SampleMaker) -> PicturePlace? {
        switch self {
        case .h264(let reading): reading.placeAlone(packet, maker)
        case .hevc(let reading): reading.placeAlone(packet, maker)
        }
    }

    /// - Parameter isMarked: whether the container marks the sample as one where decoding can begin.
    func attachments(isMarked: Bool, reorders: Bool) -> SampleAttachments {
        switch self {
        case .h264(let reading): reading.attachments(isMarked: isMarked, reorders: reorders)
        case .hevc(let reading): reading.attachments(isMarked: isMarked, reorders: reorders)
        }
    }

    /// Examines the bytes of a later packet. Returns whether they are the first field of a frame without the second one.
    func isFirstFieldAlone(_ packet: Span<UInt8>, _ maker: SampleMaker) -> Bool {
        switch self {
        case .h264(let reading): reading.isFirstFieldAlone(packet, maker)
        case .hevc(let reading): reading.isFirstFieldAlone(packet, maker)
        }
    }

    /// Returns whether a packet begins with the second field of the frame that ``isFirstFieldAlone(_:)`` found.
    func isSecondField(_ packet: Span<UInt8>, _ maker: SampleMaker) -> Bool {
        switch self {
        case .h264(let reading): reading.isSecondField(packet, maker)
        case .hevc(let reading): reading.isSecondField(packet, maker)
        }
    }
}

/// The implementation of ``SampleReading`` for one codec, with the slices and parameter sets of module NaluBitstream.
final class CodecSampleReading<Codec: StreamCodec> {
    private(set) var format: FormatDescription?
    private let lengthSize: Int
    private let container: ContainerPicture
    private var codec = Codec()
    private var cache = FormatCache<FormatDescription>()
    /// The count of parameter set changes up to which ``format`` is the one of the codec configuration, which may have
    /// several SPS.
    private var configured = 0
    private var picture = Codec.Picture()
    private var first: Codec.Picture.Slice?
    /// Whether some slice does not begin its picture or field.
    private var isSplit = false
    private var endsSequence = false
    /// Whether ``slices`` do not show everything that matters for losses: a slice is unreadable or redundant, or NAL
    /// units are in an unusual order.
    private var isUnusual = false
    private var hasUnreadableSlices = false
    private(set) var hasPicture = false
    private var isRecoveryPoint = false
    private var failure: NaluError?
    /// The parameter sets before new ones arrived between the two fields of the frame; nil if none arrived.
    private var ofFirstField: Codec?
    /// True if the last sample had new parameter sets between its fields. The next sample then gets a new format
    /// description, even if both are equal.
    private var mustRenew = false
    /// The state of ``placeAlone(_:)``.
    private var alone: Codec?
    /// The result of the last ``isFirstFieldAlone(_:)``.
    private var ahead: (codec: Codec, picture: Codec.Picture)?

    /// A number of bytes that contains most slice headers.
    private static var shortHeader: Int { 64 }

    init(lengthSize: Int, container: ContainerPicture) {
        self.lengthSize = lengthSize
        self.container = container
    }

    func replace(with format: FormatDescription) {
        self.format = format
        codec = Codec()
        cache = FormatCache()
        // A parameter set that cannot be read does not affect the others.
        for set in format.parameterSets { try? codec.add(parameterSet: set) }
        configured = codec.tally.changes
    }

    func begin() {
        picture = Codec.Picture()
        first = nil
        (isSplit, endsSequence, isUnusual) = (false, false, false)
        hasUnreadableSlices = false
        hasPicture = false
        isRecoveryPoint = false
        failure = nil
        mustRenew = mustRenew || ofFirstField != nil
        ofFirstField = nil
    }

    func add(_ unit: Span<UInt8>) -> Bool {
        guard unit.count > 1 else {
            (isUnusual, hasPicture) = (true, true)
            return false
        }
        let kind = Codec.look(unit[0], unit[1]).kind
        guard unit.count > Codec.headerSize || kind == .endOfSequence else {
            (isUnusual, hasPicture) = (true, true)
            return false
        }
        hasPicture = hasPicture || kind == .slice || kind == .malformed
        switch kind {
        case .sequenceParameterSet, .otherParameterSet:
            let before = codec
            do throws(NaluError) {
                try codec.add(parameterSet: [UInt8](copying: unit))
            } catch {
                failure = failure ?? NaluError(.badData, error.message)
            }
            guard picture.mayHaveSecondField, codec.tally.changes != before.tally.changes else { return true }
            ofFirstField = ofFirstField ?? before
            isUnusual = true
        case .endOfSequence:
            isUnusual = isUnusual || first == nil
            endsSequence = true
        case .malformed: isUnusual = true
        case .slice: add(slice: unit)
        case .messages: isRecoveryPoint = isRecoveryPoint || Codec.hasRecoveryPoint([UInt8](copying: unit))
        default: break
        }
        return false
    }

    private func add(slice unit: Span<UInt8>) {
        guard let slice = Self.slice(unit, codec) else {
            hasUnreadableSlices = true
            isUnusual = true
            return
        }
        guard slice.isPrimary else {
            isUnusual = true
            return
        }
        if first == nil {
            first = slice
            isUnusual = isUnusual || !slice.isFirstOfPicture && Codec.videoCodec == .hevc || endsSequence
        }
        isSplit = isSplit || !slice.isFirstOfPicture
        if picture.isSecondField(slice) { picture.beginSecondField() }
        picture.add(slice)
    }

    private static func slice(_ unit: Span<UInt8>, _ codec: Codec) -> Codec.Picture.Slice? {
        (try? codec.slice(unit.extracting(first: shortHeader))) ?? (try? codec.slice(unit))
    }

    func update() throws(NaluError) {
        if let failure { throw failure }
        guard format == nil || codec.tally.changes != configured else { return }
        let codec = ofFirstField ?? codec
        if mustRenew { cache = FormatCache() }
        let made: FormatDescription
        if let first {
            made = try cache.format(of: first.sequenceID, codec.tally) { () throws(NaluError) in
                try codec.formatUnits(for: first)
            } make: { (units) throws(NaluError) in
                try FormatDescription(
                    Codec.videoCodec, parameterSets: container.completing(units, Codec.videoCodec),
                    lengthSize: lengthSize)
            }
        } else {
            guard format == nil, let units = try codec.firstFormatUnits() else { return }
            made = try FormatDescription(
                Codec.videoCodec, parameterSets: container.completing(units, Codec.videoCodec), lengthSize: lengthSize)
        }
        if mustRenew || made != format { format = made }
        mustRenew = false
    }

    func place() -> PicturePlace? {
        first.map { codec.place($0, isSynchronized: true) }
    }

    var slices: PictureSlices? {
        guard !isUnusual, let first else { return nil }
        return PictureSlices(first: first.first, isSplit: isSplit, endsSequence: endsSequence)
    }

    func placeAlone(_ packet: Span<UInt8>, _ maker: SampleMaker) -> PicturePlace? {
        var codec = alone ?? codec
        var found: Codec.Picture.Slice?
        Self.forEachSlice(of: packet, maker, &codec) { slice in
            found = slice
            return false
        }
        let place = found.map { codec.place($0, isSynchronized: true) }
        alone = codec
        return place
    }

    func isFirstFieldAlone(_ packet: Span<UInt8>, _ maker: SampleMaker) -> Bool {
        var (codec, picture) = (codec, Codec.Picture())
        Self.forEachSlice(of: packet, maker, &codec) { slice in
            if picture.isSecondField(slice) { picture.beginSecondField() }
            picture.add(slice)
            return true
        }
        ahead = (codec, picture)
        return picture.mayHaveSecondField
    }

    func isSecondField(_ packet: Span<UInt8>, _ maker: SampleMaker) -> Bool {
        guard let ahead else { return false }
        var codec = ahead.codec
        var isSecond = false
        Self.forEachSlice(of: packet, maker, &codec) { slice in
            isSecond = ahead.picture.isSecondField(slice)
            return false
        }
        return isSecond
    }

    /// Calls `body` with each readable primary slice, as long as `body` returns true. Adds parameter sets to `codec`.
    private static func forEachSlice(
        of packet: Span<UInt8>, _ maker: SampleMaker, _ codec: inout Codec, _ body: (Codec.Picture.Slice) -> Bool
    ) {
        var isDone = false
        maker.forEachUnit(in: packet) { unit in
            guard !isDone, unit.count > max(Codec.headerSize, 1) else { return }
            switch Codec.look(unit[0], unit[1]).kind {
            case .sequenceParameterSet, .otherParameterSet: try? codec.add(parameterSet: [UInt8](copying: unit))
            case .slice:
                if let slice = slice(unit, codec), slice.isPrimary { isDone = !body(slice) }
            default: break
            }
        }
    }

    func attachments(isMarked: Bool, reorders: Bool) -> SampleAttachments {
        var flags = picture.attachments(isRecoveryPoint: isRecoveryPoint, reorders: reorders)
        if hasUnreadableSlices {
            flags.insert(.dependsOnOthers)
            if !picture.hasSlices { flags.formUnion([.notSync, .isDependedOnByOthers]) }
        }
        if isMarked, flags.contains(.notSync), picture.hasSlices ? picture.isIntra : hasUnreadableSlices {
            flags.insert(.partialSync)
        }
        return flags
    }
}
