internal import Nalu

/// One frame, or a field without its other half, in decoding order.
struct FrameRecord {
    enum Structure: String {
        case frame
        case fieldPair = "field-pair"
        case topField = "top-field"
        case bottomField = "bottom-field"
    }

    var offset: Int
    /// Bytes in the file of its access units, prefixes and parameter sets included.
    var size: Int
    var kind: PictureKind
    var isReference: Bool
    /// Whether decoding can begin here: an IDR, CRA or BLA picture, or in H.264 an intra picture whose recovery point says
    /// "at once".
    var isKey: Bool
    /// `recovery_frame_cnt` of its recovery point, `recovery_poc_cnt` in H.265.
    var recoveryCount: Int?
    var structure = Structure.frame
    var sliceCount: Int
    /// The mean quantiser that its slices start from; nil where none could be read.
    var qp: Double?
    /// Nil in H.265.
    var frameNumber: Int?
    /// Its place in output order since the last IDR picture, as the standard counts it.
    var pictureOrderCount: Int
    /// How often the order was restarted before.
    var epoch: Int
    /// What H.265 also says.
    var layer: TemporalPlace?
    /// Its place in output order in the whole stream, from 0.
    var display = 0
    /// In a container.
    var times: FrameTimes?

    /// One letter for strips of frames, as x264 writes them: small for intra frames at which decoding cannot begin, and for
    /// B frames that nothing refers to.
    var letter: Character {
        switch kind {
        case .idr: "I"
        case .cra: "C"
        case .bla: "L"
        case .i: "i"
        case .p: "P"
        case .b: isReference ? "B" : "b"
        case .unknown: "?"
        }
    }
}

/// What a picture is, by its slices.
enum PictureKind: String, CaseIterable {
    case idr = "IDR"
    /// Clean random access, in H.265.
    case cra = "CRA"
    /// Broken link access, in H.265.
    case bla = "BLA"
    /// All slices intra, but no picture of those kinds.
    case i = "I"
    case p = "P"
    case b = "B"
    /// No slice header could be read.
    case unknown = "?"

    /// Whether decoding can begin there, whatever follows.
    var isRandomAccess: Bool { self == .idr || self == .cra || self == .bla }
}

/// What the NAL unit header of an H.265 picture says of its place among others.
struct TemporalPlace {
    let type: HEVCUnitType
    /// `TemporalId`, 0 to 6.
    let temporalID: Int
    /// `pic_output_flag`.
    let isShown: Bool

    /// The standard's name: `TRAIL_R`, `RASL_N`, `CRA_NUT`.
    var typeName: String { StandardNames.sliceType(type) }
}

/// When a container says that a frame is decoded and shown.
struct FrameTimes {
    let presentation: MediaTime
    let decode: MediaTime
    let duration: MediaTime

    /// Of the sample whose data begins at that byte.
    static func assign(_ times: [Int: FrameTimes], to frames: inout [FrameRecord]) {
        for index in frames.indices { frames[index].times = times[frames[index].offset] }
    }

    /// Seconds with three digits; empty where there are none.
    static func text(_ time: MediaTime?) -> String {
        guard let time, time.isNumeric else { return "" }
        let sign = time.value < 0 ? "-" : ""
        return sign + NumberText.decimal(time.seconds.magnitude, places: 3)
    }
}

/// A group of pictures: a key frame, and what follows up to the next one in decoding order.
struct GroupRecord {
    let firstFrame: Int
    var frameCount = 0
    var bytes = 0
    /// Whether no picture of it needs one before it: it begins with an IDR picture, or in H.265 with any at which decoding
    /// can begin and has no leading picture that is skipped then (RASL).
    var isClosed: Bool

    static func groups(of frames: [FrameRecord]) -> [GroupRecord] {
        var groups: [GroupRecord] = []
        for (index, frame) in frames.enumerated() {
            if frame.isKey || groups.isEmpty {
                groups.append(GroupRecord(firstFrame: index, isClosed: frame.kind.isRandomAccess))
            }
            if frame.layer?.type.isSkippedLeading == true { groups[groups.count - 1].isClosed = false }
            groups[groups.count - 1].frameCount += 1
            groups[groups.count - 1].bytes += frame.size
        }
        return groups
    }
}
