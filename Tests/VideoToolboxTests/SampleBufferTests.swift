import Foundation
import Testing
import VideoToolbox

/// Block buffers, format descriptions and sample buffers as Swift programs write them.
struct SampleBufferTests {
    /// The SPS and the PPS of Baseline video of 320 by 240 pixels.
    static let parameterSets = [
        Data([0x67, 0x42, 0x00, 0x1e, 0xda, 0x05, 0x07, 0xe4]), Data([0x68, 0xce, 0x38, 0x80]),
    ]

    @Test func blockBuffersGiveTheirBytes() throws {
        let buffer = try CMBlockBuffer(length: 6)
        #expect(buffer.dataLength == 6 && buffer.isContiguous && !buffer.isEmpty)
        try buffer.fillDataBytes(with: 0x11)
        try [UInt8]([1, 2, 3]).withUnsafeBytes { try buffer[2...].replaceDataBytes(with: $0) }
        #expect(try buffer.dataBytes() == Data([0x11, 0x11, 1, 2, 3, 0x11]))
        #expect(try buffer[2..<4].dataBytes() == Data([1, 2]))
        try buffer.withUnsafeMutableBytes(atOffset: 1) { bytes in
            #expect(bytes.count == 5)
            bytes[0] = 9
        }
        let whole = try CMBlockBuffer()
        #expect(whole.isEmpty)
        try whole.append(bufferReference: buffer[4..<6])
        try whole.append(bufferReference: buffer[..<2])
        try whole.append(bufferReference: buffer[3..<3])
        #expect(!whole.isContiguous && whole.dataLength == 4)
        #expect(try whole.withContiguousStorage { Data($0) } == Data([3, 0x11, 0x11, 9]))
        var copied = [UInt8](repeating: 0, count: 3)
        try copied.withUnsafeMutableBytes { try whole[1...].copyDataBytes(to: $0) }
        #expect(copied == [0x11, 0x11, 9])
        #expect(try CMBlockBuffer(bufferReference: whole[1...1]).dataBytes() == Data([0x11]))
    }

    @Test func wrongRangesThrow() throws {
        let buffer = try CMBlockBuffer(length: 4)
        #expect(throws: NSError.self) { try buffer[2..<5].dataBytes() }
        #expect(throws: NSError.self) { try buffer[-1..<2].dataBytes() }
        #expect(throws: NSError.self) { try buffer.withUnsafeMutableBytes(atOffset: 5) { _ in } }
        #expect(throws: NSError.self) { try CMBlockBuffer(length: -1) }
        #expect(throws: NSError.self) { try CMBlockBuffer(bufferReference: buffer[3..<9]) }
        let error = #expect(throws: NSError.self) { try buffer[..<100].dataBytes() }
        #expect(error?.domain == NSOSStatusErrorDomain && error?.code == Int(kCMBlockBufferBadLengthParameterErr))
    }

    @Test func formatDescriptionsHaveTheirParameterSets() throws {
        let description = try CMFormatDescription(h264ParameterSets: Self.parameterSets, nalUnitHeaderLength: 4)
        #expect(description.mediaType == .video && description.mediaSubType == .h264)
        #expect(CMVideoFormatDescriptionGetCodecType(description) == kCMVideoCodecType_H264)
        #expect(description.dimensions.width == 320 && description.dimensions.height == 240)
        #expect(description.parameterSets == Self.parameterSets && description.nalUnitHeaderLength == 4)
        #expect(description.presentationDimensions() == CGSize(width: 320, height: 240))
        #expect(description.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 0, y: 0, width: 320, height: 240))

        // The same description from its atom, as a reader of MP4 files makes it.
        let atoms = try #require(
            description.extensions[.sampleDescriptionExtensionAtoms]?.propertyListRepresentation as? [String: Any])
        let configuration = try #require(atoms["avcC"] as? Data)
        let again = try CMFormatDescription(
            videoCodecType: .h264, width: 320, height: 240,
            extensions: [
                .sampleDescriptionExtensionAtoms: .init(["avcC": configuration] as CFDictionary),
                .fullRangeVideo: .init(kCFBooleanTrue), .depth: .number(24),
            ])
        #expect(again.parameterSets == Self.parameterSets)
        #expect(again.extensions[.fullRangeVideo]?.propertyListRepresentation as? Bool == true)
        #expect(again.extensions[.depth] == .number(24))
        #expect(again.extensions[.iccProfile] == nil)
        #expect(description.equalTo(description) && !description.equalTo(again))
        let other = try CMFormatDescription(videoCodecType: .proRes422, width: 16, height: 16)
        #expect(other.parameterSets.isEmpty && other.nalUnitHeaderLength == nil && other.extensions.isEmpty)
        #expect(throws: NSError.self) { try CMFormatDescription(h264ParameterSets: []) }
        #expect(throws: NSError.self) { try CMFormatDescription(h264ParameterSets: [Data(), Data()]) }
        #expect(throws: NSError.self) { try CMFormatDescription(hevcParameterSets: [Data([0x40, 1])]) }
    }

    @Test func sampleBuffersHaveTimesSizesAndAttachments() throws {
        let data = try CMBlockBuffer(length: 9)
        try data.fillDataBytes(with: 7)
        let description = try CMFormatDescription(h264ParameterSets: Self.parameterSets)
        let timings = (0..<2).map { index in
            CMSampleTimingInfo(
                duration: CMTime(value: 1, timescale: 30),
                presentationTimeStamp: CMTime(value: Int64(index), timescale: 30),
                decodeTimeStamp: .invalid)
        }
        let buffer = try CMSampleBuffer(
            dataBuffer: data, formatDescription: description, numSamples: 2, sampleTimings: timings,
            sampleSizes: [4, 5])
        #expect(buffer.numSamples == 2 && buffer.totalSampleSize == 9 && buffer.isValid && buffer.imageBuffer == nil)
        #expect(buffer.duration == CMTime(value: 2, timescale: 30) && buffer.presentationTimeStamp == .zero)
        #expect(
            !buffer.decodeTimeStamp.isValid && buffer.formatDescription === description && buffer.dataBuffer === data)
        #expect(try buffer.sampleSizes() == [4, 5] && buffer.sampleSize(at: 1) == 5)
        #expect(try buffer.sampleTimingInfos().map(\.presentationTimeStamp.value) == [0, 1])
        #expect(try buffer.sampleTimingInfo(at: 1).presentationTimeStamp.value == 1)
        #expect(throws: NSError.self) { try buffer.sampleTimingInfo(at: 2) }
        if case .ready = buffer.dataReadiness {} else { Issue.record("not ready") }

        #expect(buffer.sampleAttachments.count == 2 && buffer.sampleAttachments[0].isEmpty)
        buffer.sampleAttachments[0][.notSync] = true
        buffer.sampleAttachments[0][.dependsOnOthers] = false
        buffer.sampleAttachments[1][.hevcSyncSampleNALUnitType] = 19
        #expect(buffer.sampleAttachments[0][.notSync] as? Bool == true)
        #expect(buffer.sampleAttachments[0][.dependsOnOthers] as? Bool == false)
        #expect(buffer.sampleAttachments[1][.hevcSyncSampleNALUnitType] as? Int == 19)
        buffer.sampleAttachments[0][.notSync] = nil
        #expect(buffer.sampleAttachments[0][.notSync] == nil && buffer.sampleAttachments[0].count == 1)

        let single = try buffer.singleSampleBuffers()
        #expect(single.map(\.totalSampleSize) == [4, 5] && single[1].presentationTimeStamp.value == 1)
        let moved = try CMSampleBuffer(copying: buffer, withNewTiming: [timings[1]])
        #expect(moved.presentationTimeStamp == timings[1].presentationTimeStamp && moved.dataBuffer === data)
        try moved.setOutputPresentationTimeStamp(CMTime(value: 9, timescale: 1))
        #expect(moved.outputPresentationTimeStamp.seconds == 9)
        try moved.invalidate()
        #expect(!moved.isValid)
    }

    @Test func samplesMayBecomeReadyLater() throws {
        let buffer = try CMSampleBuffer(
            dataBuffer: nil, dataReady: false, formatDescription: nil, numSamples: 0, sampleTimings: [], sampleSizes: []
        )
        if case .notReady = buffer.dataReadiness {} else { Issue.record("ready") }
        try buffer.setDataBuffer(CMBlockBuffer(length: 3))
        try buffer.setDataReady()
        #expect(buffer.dataBuffer?.dataLength == 3)
        if case .ready = buffer.dataReadiness {} else { Issue.record("not ready") }
        #expect(throws: NSError.self) { try buffer.setDataBuffer(CMBlockBuffer(length: 3)) }
    }

    @Test func imagesBecomeSampleBuffers() throws {
        var image: CVPixelBuffer?
        #expect(CVPixelBufferCreate(nil, 64, 32, kCVPixelFormatType_32BGRA, nil, &image) == kCVReturnSuccess)
        let pixels = try #require(image)
        let description = try CMVideoFormatDescription(imageBuffer: pixels)
        #expect(description.dimensions.width == 64 && description.mediaSubType == .pixelFormat_32BGRA)
        #expect(description.matchesImageBuffer(pixels))
        let timing = CMSampleTimingInfo(
            duration: .invalid, presentationTimeStamp: CMTime(value: 5, timescale: 30), decodeTimeStamp: .invalid)
        let buffer = try CMSampleBuffer(imageBuffer: pixels, formatDescription: description, sampleTiming: timing)
        #expect(buffer.imageBuffer === pixels && buffer.presentationTimeStamp.value == 5 && buffer.numSamples == 1)
    }
}
