internal import Nalu
internal import NaluBitstream

/// Groups NAL units into frames for the reports, even if slices are missing or unreadable.
///
/// ``CodecReader`` decides with NaluBitstream where a picture begins. The core's `AccessUnitAssembler` uses the same
/// decisions to make samples, and leaves out pictures that cannot be decoded.
struct PictureAssembler {
    private(set) var frames: [PictureRecord] = []
    private(set) var accessUnitCount = 0
    /// True if an intra picture whose recovery point is the picture itself is a key frame.
    private let recoveryMakesKeys: Bool

    /// The access unit whose NAL units are arriving.
    private struct Current {
        var offset = 0
        var size = 0
        var kinds: Set<PictureKind> = []
        var sliceCount = 0
        var isReference = false
        var recoveryCount: Int?
        var facts: PictureFacts?
        var qpSum = 0
        var qpCount = 0
    }

    private var current: Current?
    /// The NAL units after a slice that belong to the picture of the next slice.
    private var lead: Current?
    private var epoch = 0

    init(recoveryMakesKeys: Bool) {
        self.recoveryMakesKeys = recoveryMakesKeys
    }

    /// True if the current access unit has slices.
    var hasSlices: Bool { current.map { $0.sliceCount > 0 } ?? false }

    mutating func addSlice(_ unit: ScannedUnit, _ slice: SliceFacts) {
        mergeLead()
        var picture = current ?? Current(offset: unit.offset)
        picture.size += unit.totalSize
        picture.isReference = picture.isReference || slice.isReference
        picture.sliceCount += 1
        if let access = slice.access { picture.kinds.insert(access) }
        switch slice.type {
        case .i, .si: picture.kinds.insert(.i)
        case .p, .sp: picture.kinds.insert(.p)
        case .b: picture.kinds.insert(.b)
        case nil: break
        }
        if let facts = slice.picture {
            picture.facts = facts
            if facts.restartsOrder { epoch += 1 }
        }
        if let qp = slice.qp {
            picture.qpSum += qp
            picture.qpCount += 1
        }
        current = picture
    }

    /// Adds a NAL unit that is no slice.
    mutating func add(_ unit: ScannedUnit, place: StreamUnitPlace) {
        if place == .beforePicture, hasSlices { endAccessUnit() }
        if lead != nil || (place == .beforeSlice && hasSlices) {
            lead = lead ?? Current(offset: unit.offset)
            lead?.size += unit.totalSize
        } else {
            current = current ?? Current(offset: unit.offset)
            current?.size += unit.totalSize
        }
    }

    mutating func addRecoveryPoint(frameCount: Int) {
        if lead == nil { current?.recoveryCount = frameCount } else { lead?.recoveryCount = frameCount }
    }

    private mutating func mergeLead() {
        guard let other = lead else { return }
        lead = nil
        current?.size += other.size
        if let count = other.recoveryCount { current?.recoveryCount = count }
    }

    /// Ends the stream. NAL units after the last picture belong to that picture.
    mutating func finish() {
        current?.size += lead?.size ?? 0
        lead = nil
        if let rest = current, rest.sliceCount == 0, !frames.isEmpty {
            frames[frames.count - 1].size += rest.size
            current = nil
        }
        endAccessUnit()
    }

    /// Ends the access unit, because the next slice belongs to another picture.
    mutating func endAccessUnit() {
        defer { (current, lead) = (lead, nil) }
        guard let picture = current, picture.sliceCount > 0 else { return }
        accessUnitCount += 1
        // A picture without an order count keeps its position in decode order.
        if picture.facts == nil { epoch += 1 }
        let kind = [PictureKind.idr, .bla, .cra, .b, .p, .i].first(where: picture.kinds.contains) ?? .unknown
        let isKey =
            kind.isRandomAccess || (recoveryMakesKeys && kind == .i && picture.recoveryCount == 0)
        let record = PictureRecord(
            offset: picture.offset, size: picture.size, kind: kind, isReference: picture.isReference, isKey: isKey,
            recoveryCount: picture.recoveryCount, structure: picture.facts?.structure ?? .frame,
            sliceCount: picture.sliceCount,
            qp: picture.qpCount == 0 ? nil : Double(picture.qpSum) / Double(picture.qpCount),
            frameNumber: picture.facts?.frameNumber, pictureOrderCount: picture.facts?.pictureOrderCount ?? 0,
            epoch: epoch, layer: picture.facts?.layer)
        if let first = frames.last, Self.isSecondField(record, of: first) {
            merge(record)
        } else {
            frames.append(record)
        }
    }

    /// Returns true if two neighbours are the fields of one frame (ITU-T H.264 3.30 and 3.31).
    private static func isSecondField(_ second: PictureRecord, of first: PictureRecord) -> Bool {
        let isOpposite =
            (first.structure == .topField && second.structure == .bottomField)
            || (first.structure == .bottomField && second.structure == .topField)
        return isOpposite && first.frameNumber == second.frameNumber && second.kind != .idr
            && (first.isReference || !second.isReference)
    }

    private mutating func merge(_ second: PictureRecord) {
        let index = frames.count - 1
        var frame = frames[index]
        frame.size += second.size
        frame.structure = .fieldPair
        frame.sliceCount += second.sliceCount
        frame.pictureOrderCount = min(frame.pictureOrderCount, second.pictureOrderCount)
        if let a = frame.qp, let b = second.qp { frame.qp = (a + b) / 2 }
        frames[index] = frame
    }
}

/// The facts about a picture from a slice, the same for H.264 and H.265.
struct SliceFacts {
    /// The slice type; nil if the header is unreadable.
    var type: SliceType?
    /// The picture type if decoding can begin at the picture; otherwise nil.
    var access: PictureKind?
    /// True if other pictures may refer to the picture.
    var isReference = false
    /// The slice's initial QP.
    var qp: Int?
    /// The facts from the picture's first readable slice; nil in other slices.
    var picture: PictureFacts?
}

/// The facts about a picture from its first readable slice.
struct PictureFacts {
    var structure = PictureRecord.Structure.frame
    /// `frame_num`; nil in H.265.
    var frameNumber: Int?
    var pictureOrderCount: Int
    /// True if the output order restarts at this picture.
    var restartsOrder: Bool
    /// The fields of the NAL unit header that only H.265 has.
    var layer: TemporalPosition?
}
