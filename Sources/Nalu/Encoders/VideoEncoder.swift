/// The interface of an encoder to a session. A session calls it from one thread at a time. ``EncoderTraits`` has what a
/// session must know before.
protocol VideoEncoder: AnyObject {
    /// Reorder depth in frames (max_num_reorder_frames).
    var reorderDepth: Int { get }
    /// The parameter sets, size and colour of the stream. They are the same for every encoder opened with the same
    /// setup.
    var formatDescription: FormatDescription { get }
    /// The parameters that the encoder runs with, as text.
    var effectiveParameters: String { get }

    /// The number of frames that the encoder holds for reference.
    var heldReferences: Int { get }
    /// The most frames by which the encoder delays a picture, with those of reordering.
    var delay: Int { get }
    /// The reason why frames may have no QP offsets, as the end of an error message; nil if they may.
    var reasonAgainstQPOffsets: String? { get }

    /// The number of encoders like this one that occupy all processors.
    var recommendedParallelism: Int { get }
    /// The most frames from one key frame to the next that the encoder makes by itself; nil for any number.
    var keyFrameInterval: Int? { get }

    /// The number of the cheapest step of the analysis; 0 if there is only one.
    var lastAnalysisStep: Int { get }

    /// Encodes one frame. Returns a picture if one is ready, of this frame or an earlier one; nil if the frame is held.
    /// The frame's pixels are not read after the call. After a throw the encoder must not be used again.
    ///
    /// The picture has the frame's rate. An encoder whose own rate is fixed derives the parameters of the frame from
    /// that rate.
    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncoderOutput?

    /// Changes the rate for the very next picture that is delivered. A frame's own rate waits until that frame is
    /// coded.
    func retune(_ rate: RatePlan) throws(NaluError)

    /// Writes the encoder's pictures with other slice headers; nil for codecs that need none. With EnableLTR
    /// `frame_num` is wider than the encoder's own, and every picture is rewritten.
    var sliceRewriter: SliceRewriter? { get }
    /// Whether the encoder can forget a picture that was not delivered (``EncoderFrame/forgetFrom``), so that no key
    /// frame must follow.
    var forgetsPictures: Bool { get }

    /// Whether the encoder itself makes the temporal layers of the session: ``EncodedPicture/isReference`` states the layer.
    /// If false, the session makes the layers: it forbids references.
    var hasOwnLayers: Bool { get }
    /// Whether `idr_pic_id` alternates between 0 and 1. If false, the session writes `idr_pic_id`.
    var alternatesIDRNumbers: Bool { get }

    /// Returns the next delayed picture, or nil if there is none left. After nil the encoder must not be used again.
    func drain() throws(NaluError) -> EncoderOutput?
}

extension VideoEncoder {
    var delay: Int { reorderDepth }
    var reasonAgainstQPOffsets: String? { nil }
    var sliceRewriter: SliceRewriter? { nil }
    var forgetsPictures: Bool { false }
    var hasOwnLayers: Bool { false }
    var alternatesIDRNumbers: Bool { true }
    var lastAnalysisStep: Int { 0 }
    var recommendedParallelism: Int { 1 }
    var keyFrameInterval: Int? { nil }
    var heldReferences: Int { 1 }
}
