internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// What the NAL units of a track's samples say: their pictures, and the parameter sets as they stand at the moment.
///
/// Not a protocol: the compiler makes code for each codec where it sees the type, and asks for types with every call where it
/// does not.
enum SampleReading {
    case h264(CodecSampleReading<H264StreamCodec>)
    case hevc(CodecSampleReading<HEVCStreamCodec>)

    /// - Parameter lengthSize: of the length prefixes in the samples.
    init(_ codec: VideoCodec, lengthSize: Int, size: ContainerSize) {
        switch codec {
        case .h264: self = .h264(CodecSampleReading(lengthSize: lengthSize, size: size))
        case .hevc: self = .hevc(CodecSampleReading(lengthSize: lengthSize, size: size))
        }
    }

    /// The latest; the same object until a parameter set changes.
    var format: FormatDescription? {
        switch self {
        case .h264(let reading): reading.format
        case .hevc(let reading): reading.format
        }
    }

    /// Takes the sets of a format description for the ones known so far.
    func replace(with format: FormatDescription) {
        switch self {
        case .h264(let reading): reading.replace(with: format)
        case .hevc(let reading): reading.replace(with: format)
        }
    }

    /// What is added next belongs to another sample.
    func begin() {
        switch self {
        case .h264(let reading): reading.begin()
        case .hevc(let reading): reading.begin()
        }
    }

    /// One NAL unit. Whether it is a parameter set: these are not among the units of a sample, except new ones between the two
    /// fields of a frame, which its format description cannot have.
    func add(_ unit: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .h264(let reading): unsafe reading.add(unit)
        case .hevc(let reading): unsafe reading.add(unit)
        }
    }

    /// Brings ``format`` up to date for the picture that was added. Throws where its parameter sets cannot be read.
    func update() throws(NaluError) {
        switch self {
        case .h264(let reading): try reading.update()
        case .hevc(let reading): try reading.update()
        }
    }

    /// Where the picture that was added stands in output order; nil if no slice can be read. Once for each sample.
    func place() -> PicturePlace? {
        switch self {
        case .h264(let reading): reading.place()
        case .hevc(let reading): reading.place()
        }
    }

    /// The same ahead of the samples, from the first packet on.
    func placeAlone(_ units: [UnsafeRawBufferPointer]) -> PicturePlace? {
        switch self {
        case .h264(let reading): unsafe reading.placeAlone(units)
        case .hevc(let reading): unsafe reading.placeAlone(units)
        }
    }

    /// - Parameter isMarked: whether the container marks the sample as one that decoding can begin with.
    func attachments(isMarked: Bool, reorders: Bool) -> SampleAttachments {
        switch self {
        case .h264(let reading): reading.attachments(isMarked: isMarked, reorders: reorders)
        case .hevc(let reading): reading.attachments(isMarked: isMarked, reorders: reorders)
        }
    }

    /// Looks at the units of a sample before its turn. Whether they are the first field of a frame without the second.
    func isFirstFieldAlone(_ units: [UnsafeRawBufferPointer]) -> Bool {
        switch self {
        case .h264(let reading): unsafe reading.isFirstFieldAlone(units)
        case .hevc(let reading): unsafe reading.isFirstFieldAlone(units)
        }
    }

    /// Whether the units that follow begin the second field of what ``isFirstFieldAlone(_:)`` has found.
    func isSecondField(_ units: [UnsafeRawBufferPointer]) -> Bool {
        switch self {
        case .h264(let reading): unsafe reading.isSecondField(units)
        case .hevc(let reading): unsafe reading.isSecondField(units)
        }
    }
}

/// The size of a track's pictures as its container names it; 0 where it names none.
struct ContainerSize {
    var width = 0
    var height = 0

    /// H.264 parameter sets whose pictures have this size, where it is theirs but for a part of a macroblock on the right or at
    /// the bottom. Players and decoders follow the container there.
    func cropped(_ units: [[UInt8]]) -> [[UInt8]] {
        guard width > 0, height > 0 else { return units }
        return units.map { unit in
            guard let first = unit.first, NALUnitHeader(rawValue: first).type == .sequenceParameterSet else {
                return unit
            }
            let edited = unsafe unit.withUnsafeBytes { bytes in
                unsafe try? SequenceParameterSetEditor.crop(bytes, width: width, height: height)
            }
            return edited ?? unit
        }
    }

    /// The same for a format description; the very object where nothing changes.
    func cropped(_ format: FormatDescription) -> FormatDescription {
        guard !format.isHEVC, width > 0, height > 0, (width, height) != (format.width, format.height) else {
            return format
        }
        let units = format.parameterSets
        let edited = cropped(units)
        guard edited != units else { return format }
        return (try? FormatDescription(.h264, parameterSets: edited, lengthSize: format.lengthSize)) ?? format
    }
}

/// ``SampleReading`` for one codec, by the slices and parameter sets of module NaluBitstream.
final class CodecSampleReading<Codec: StreamCodec> {
    private(set) var format: FormatDescription?
    private let lengthSize: Int
    private let size: ContainerSize
    private var codec = Codec()
    private var cache = FormatCache<FormatDescription>()
    /// Changes of parameter sets up to which ``format`` is that of the codec configuration, which may have several SPS.
    private var configured = 0
    private var picture = Codec.Picture()
    private var first: Codec.Picture.Slice?
    private var hasUnreadableSlices = false
    private var isRecoveryPoint = false
    private var failure: NaluError?
    /// As it was before new parameter sets between the two fields of the frame.
    private var ofFirstField: Codec?
    /// The last sample had such sets: the next one has a format description of its own, also one that says the same.
    private var mustRenew = false
    /// The state of ``placeAlone(_:)``.
    private var alone: Codec?
    /// What a look ahead has found.
    private var ahead: (codec: Codec, picture: Codec.Picture)?

    /// Most slice headers are shorter.
    private static var shortHeader: Int { 64 }

    init(lengthSize: Int, size: ContainerSize) {
        self.lengthSize = lengthSize
        self.size = size
    }

    func replace(with format: FormatDescription) {
        self.format = format
        codec = Codec()
        cache = FormatCache()
        // One that cannot be read leaves the others as they are.
        for set in format.parameterSets { try? codec.add(parameterSet: set) }
        configured = codec.tally.changes
    }

    func begin() {
        picture = Codec.Picture()
        first = nil
        hasUnreadableSlices = false
        isRecoveryPoint = false
        failure = nil
        mustRenew = mustRenew || ofFirstField != nil
        ofFirstField = nil
    }

    func add(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard unit.count > Codec.headerSize, unit.count > 1 else { return false }
        switch unsafe Codec.look(unit[0], unit[1]).kind {
        case .sequenceParameterSet, .otherParameterSet:
            let before = codec
            do throws(NaluError) {
                try unsafe codec.add(parameterSet: [UInt8](unit))
            } catch {
                failure = failure ?? NaluError(.badData, error.message)
            }
            guard picture.mayHaveSecondField, codec.tally.changes != before.tally.changes else { return true }
            ofFirstField = ofFirstField ?? before
        case .slice: unsafe add(slice: unit)
        case .messages: isRecoveryPoint = unsafe isRecoveryPoint || Codec.hasRecoveryPoint([UInt8](unit))
        default: break
        }
        return false
    }

    private func add(slice unit: UnsafeRawBufferPointer) {
        guard let slice = unsafe Self.slice(unit, codec) else {
            hasUnreadableSlices = true
            return
        }
        guard slice.isPrimary else { return }
        if first == nil { first = slice }
        if picture.isSecondField(slice) { picture.beginSecondField() }
        picture.add(slice)
    }

    private static func slice(_ unit: UnsafeRawBufferPointer, _ codec: Codec) -> Codec.Picture.Slice? {
        let short = unsafe UnsafeRawBufferPointer(rebasing: unit.prefix(shortHeader))
        return unsafe (try? codec.slice(short)) ?? (try? codec.slice(unit))
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
                    Codec.videoCodec, parameterSets: Codec.videoCodec == .h264 ? size.cropped(units) : units,
                    lengthSize: lengthSize)
            }
        } else {
            guard format == nil, let units = try codec.firstFormatUnits() else { return }
            made = try FormatDescription(
                Codec.videoCodec, parameterSets: Codec.videoCodec == .h264 ? size.cropped(units) : units,
                lengthSize: lengthSize)
        }
        if mustRenew || made != format { format = made }
        mustRenew = false
    }

    func place() -> PicturePlace? {
        first.map { codec.place($0, isSynchronized: true) }
    }

    func placeAlone(_ units: [UnsafeRawBufferPointer]) -> PicturePlace? {
        var codec = alone ?? codec
        var found: Codec.Picture.Slice?
        unsafe Self.forEachSlice(of: units, &codec) { slice in
            found = slice
            return false
        }
        let place = found.map { codec.place($0, isSynchronized: true) }
        alone = codec
        return place
    }

    func isFirstFieldAlone(_ units: [UnsafeRawBufferPointer]) -> Bool {
        var (codec, picture) = (codec, Codec.Picture())
        unsafe Self.forEachSlice(of: units, &codec) { slice in
            if picture.isSecondField(slice) { picture.beginSecondField() }
            picture.add(slice)
            return true
        }
        ahead = (codec, picture)
        return picture.mayHaveSecondField
    }

    func isSecondField(_ units: [UnsafeRawBufferPointer]) -> Bool {
        guard let ahead else { return false }
        var codec = ahead.codec
        var isSecond = false
        unsafe Self.forEachSlice(of: units, &codec) { slice in
            isSecond = ahead.picture.isSecondField(slice)
            return false
        }
        return isSecond
    }

    /// Primary slices that can be read, while `body` wants more; the parameter sets come into `codec`.
    private static func forEachSlice(
        of units: [UnsafeRawBufferPointer], _ codec: inout Codec, _ body: (Codec.Picture.Slice) -> Bool
    ) {
        for index in unsafe units.indices {
            let unit = unsafe units[index]
            guard unit.count > max(Codec.headerSize, 1) else { continue }
            switch unsafe Codec.look(unit[0], unit[1]).kind {
            case .sequenceParameterSet, .otherParameterSet:
                try? unsafe codec.add(parameterSet: [UInt8](unit))
            case .slice:
                if let slice = unsafe slice(unit, codec), slice.isPrimary, !body(slice) { return }
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
