internal import Nalu
private import NaluMedia

/// The facts that parameter sets state about a picture and that can change in the middle of a stream.
struct PictureSignal: Hashable {
    /// The pixel aspect ratio; 1:1 if the stream states none.
    let aspectHorizontal: Int
    let aspectVertical: Int
    /// The numbers of ITU-T H.273; 2 if the stream leaves one unspecified.
    let primaries: Int
    let transfer: Int
    let matrix: Int
    /// chroma_sample_loc_type of ITU-T H.264 E.2.1; nil if the stream does not state it.
    let chromaLocation: Int?
    let bitDepth: Int
    /// The chroma format as text, for example "4:2:2".
    let chroma: String

    init(_ format: FormatDescription) {
        let sequence = format.sequence
        let aspect = (sequence.pixelAspectRatioHorizontal, sequence.pixelAspectRatioVertical)
        (aspectHorizontal, aspectVertical) = aspect.0 > 0 && aspect.1 > 0 ? aspect : (1, 1)
        primaries = sequence.colorPrimaries
        transfer = sequence.transferCharacteristics
        matrix = sequence.matrixCoefficients
        chromaLocation = sequence.chromaLocation
        bitDepth = sequence.lumaBitDepth
        let image = DecompressionSession.imageFormat(of: format) ?? .i420
        chroma = VideoFacts(width: format.width, height: format.height, format: image).chroma
    }

    /// The pixel aspect ratio as one number.
    var aspect: Double { Double(aspectHorizontal) / Double(aspectVertical) }
}
