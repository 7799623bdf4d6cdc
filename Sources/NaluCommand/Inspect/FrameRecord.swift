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
