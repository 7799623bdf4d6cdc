import Testing
import VideoToolbox

struct DecompressionSessionTests {
    /// The parameter sets of H.264 video of 16 by 16 pixels: Main profile, level 3, output in decode order.
    private static let parameterSets: [[UInt8]] = [
        [0x67, 0x4D, 0x00, 0x1E, 0xDA, 0x79], [0x68, 0xCE, 0x38, 0x80],
    ]

    private static func makeFormat() -> CMFormatDescription? {
        var format: CMFormatDescription?
        unsafe parameterSets[0].withUnsafeBufferPointer { first in
            unsafe parameterSets[1].withUnsafeBufferPointer { second in
                guard let first = first.baseAddress, let second = second.baseAddress else { return }
                _ = unsafe CMVideoFormatDescriptionCreateFromH264ParameterSets(
                    allocator: nil, parameterSetCount: 2, parameterSetPointers: [first, second],
                    parameterSetSizes: parameterSets.map(\.count), nalUnitHeaderLength: 4,
                    formatDescriptionOut: &format)
            }
        }
        return format
    }

    @Test func sessionsDecodeWhereTheMediaLibraryIsLinked() throws {
        let format = try #require(Self.makeFormat())
        var made: VTDecompressionSession?
        let status = unsafe VTDecompressionSessionCreate(
            allocator: nil, formatDescription: format, decoderSpecification: nil, imageBufferAttributes: nil,
            outputCallback: nil, decompressionSessionOut: &made)
        #expect(status == noErr)
        let session = try #require(made)
        #expect(VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: format))
        var black: CVPixelBuffer?
        #expect(unsafe VTDecompressionSessionCopyBlackPixelBuffer(session, pixelBufferOut: &black) == noErr)
        #expect(CVPixelBufferGetPixelFormatType(try #require(black)) == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        VTDecompressionSessionInvalidate(session)
        #expect(!VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: format))
    }
}
