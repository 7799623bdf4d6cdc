import Testing

@testable import Nalu

/// The available encoders, and the choice of one.
@Suite struct EncoderRegistryTests {
    @Test func thereIsX264() throws {
        let encoder = try #require(EncoderRegistry.all.first)
        #expect(EncoderRegistry.all.count == 1)
        #expect(encoder.id.description == "org.videolan.x264")
        #expect(encoder.name.hasPrefix("x264 core "))
        #expect(encoder.codec == FormatDescription.h264)
    }

    @Test func sentencesNameWhatWasAskedFor() {
        func message(_ codec: UInt32, _ id: String?, hardware: Bool = false) -> String {
            do throws(NaluError) {
                _ = try EncoderRegistry.encoder(codec: codec, id: id, requireHardware: hardware)
                return ""
            } catch {
                #expect(error.status == .couldNotFindVideoEncoder)
                return error.message
            }
        }
        #expect(message(EncoderRegistry.h264, nil) == "")
        #expect(message(EncoderRegistry.h264, "org.videolan.x264") == "")
        #expect(message(0x6876_6331, nil).contains("'hvc1'"))
        #expect(message(7, nil).contains("0x7"))
        #expect(message(EncoderRegistry.h264, "nobody").contains("nobody"))
        #expect(message(0x6876_6331, "org.videolan.x264").contains("'hvc1'"))
        #expect(message(EncoderRegistry.h264, nil, hardware: true).contains("hardware"))
    }

    @Test func aSessionSaysWhichOneItHas() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        #expect(try session.property(.encoderID) == "org.videolan.x264")
        #expect(try session.property(.usingHardwareAcceleratedVideoEncoder) == false)
    }
}
