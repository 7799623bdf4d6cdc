internal import Nalu

/// A frame, or a single field, in decode order.
struct PictureRecord {
    enum Structure: String {
        case frame
        case fieldPair = "field-pair"
        case topField = "top-field"
        case bottomField = "bottom-field"
    }

    var offset: Int
    /// The bytes of its access units in the file, with prefixes and parameter sets.
    var size: Int
    var kind: PictureKind
    var isReference: Bool
    /// True if decoding can begin here: an IDR, CRA or BLA picture, or in H.264 an intra picture whose
    /// `recovery_frame_cnt` is 0.
    var isKey: Bool
    /// The recovery point's `recovery_frame_cnt`, or `recovery_poc_cnt` in H.265.
    var recoveryCount: Int?
    var structure = Structure.frame
    var sliceCount: Int
    /// The mean of the slices' initial QPs; nil if none could be read.
    var qp: Double?
    /// `frame_num`; nil in H.265.
    var frameNumber: Int?
    /// The picture order count, which gives the output order since the last IDR picture.
    var pictureOrderCount: Int
    /// The number of restarts of the output order before this picture.
    var epoch: Int
    /// The fields of the NAL unit header that only H.265 has.
    var layer: TemporalPosition?
    /// The position in the output order of the whole stream, from 0.
    var display = 0
    /// The times in the container; nil for a stream without a container.
    var times: FrameTimes?

    /// The letter for strips of frames, as in x264's log. Lower case marks intra frames at which decoding cannot begin,
    /// and B-frames that are not used for reference.
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

/// The type of a picture, from its NAL units and slices.
enum PictureKind: String, CaseIterable {
    case idr = "IDR"
    /// A clean random access picture of H.265.
    case cra = "CRA"
    /// A broken link access picture of H.265.
    case bla = "BLA"
    /// A picture with intra slices only that has none of the types above.
    case i = "I"
    case p = "P"
    case b = "B"
    /// A picture without a readable slice header.
    case unknown = "?"

    /// True if decoding can begin at every picture of this type.
    var isRandomAccess: Bool { self == .idr || self == .cra || self == .bla }
}

/// The fields of an H.265 NAL unit header that describe a picture's place among others.
struct TemporalPosition {
    let type: HEVCUnitType
    /// `TemporalId`, from 0 to 6.
    let temporalID: Int
    /// `pic_output_flag`.
    let isShown: Bool

    /// The name in the standard, for example `TRAIL_R`, `RASL_N` or `CRA_NUT`.
    var typeName: String { StandardNames.sliceType(type) }
}

/// The decode and presentation times of a frame in the container.
struct FrameTimes {
    let presentation: MediaTime
    let decode: MediaTime
    let duration: MediaTime

    /// Sets the times of frames. The keys of `times` are the file offsets of the samples' data.
    static func assign(_ times: [Int: FrameTimes], to frames: inout [PictureRecord]) {
        for index in frames.indices { frames[index].times = times[frames[index].offset] }
    }

    /// Returns seconds with three decimals; empty without a time.
    static func text(_ time: MediaTime?) -> String {
        guard let time, time.isNumeric else { return "" }
        let sign = time.value < 0 ? "-" : ""
        return sign + NumberText.decimal(time.seconds.magnitude, places: 3)
    }
}

/// A group of pictures: a key frame and the frames before the next key frame in decode order.
struct GroupRecord {
    let firstFrame: Int
    var frameCount = 0
    var bytes = 0
    /// True if no picture of the group refers to an earlier group. The group then begins with an IDR picture, or in
    /// H.265 with any picture at which decoding can begin and that has no skipped leading picture (RASL).
    var isClosed: Bool

    static func groups(of frames: [PictureRecord]) -> [GroupRecord] {
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
