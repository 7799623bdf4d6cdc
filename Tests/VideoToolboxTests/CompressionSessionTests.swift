import Foundation
import Testing
import VideoToolbox

/// Compression sessions as Swift programs for a Mac use them.
struct CompressionSessionTests {
    /// The samples that the callbacks deliver, from the session's thread.
    ///
    /// `@unchecked Sendable`: the samples are accessed only under the lock.
    private final class Output: @unchecked Sendable {
        private let lock = NSLock()
        private var kept: [CMSampleBuffer] = []

        var samples: [CMSampleBuffer] { lock.withLock { kept } }
        func keep(_ sample: CMSampleBuffer) { lock.withLock { kept.append(sample) } }
    }

    private func makeSession(
        _ callback: VTCompressionOutputCallback?, _ output: Output?
    ) throws -> VTCompressionSession {
        var created: VTCompressionSession?
        let refcon = unsafe output.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        let status = unsafe VTCompressionSessionCreate(
            allocator: nil, width: 64, height: 48, codecType: kCMVideoCodecType_H264, encoderSpecification: nil,
            imageBufferAttributes: nil, compressedDataAllocator: nil, outputCallback: callback, refcon: refcon,
            compressionSessionOut: &created)
        #expect(status == noErr)
        return try #require(created)
    }

    private func makeFrame(_ session: VTCompressionSession, brightness: UInt8) throws -> CVPixelBuffer {
        let pool = try #require(VTCompressionSessionGetPixelBufferPool(session))
        var created: CVPixelBuffer?
        #expect(unsafe CVPixelBufferPoolCreatePixelBuffer(nil, pool, &created) == kCVReturnSuccess)
        let buffer = try #require(created)
        CVPixelBufferLockBaseAddress(buffer, [])
        for plane in 0..<CVPixelBufferGetPlaneCount(buffer) {
            let address = try #require(unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, plane))
            let size = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) * CVPixelBufferGetHeightOfPlane(buffer, plane)
            unsafe memset(address, Int32(plane == 0 ? brightness : 128), size)
        }
        CVPixelBufferUnlockBaseAddress(buffer, [])
        return buffer
    }

    private func checkSamples(_ samples: [CMSampleBuffer]) throws {
        #expect(samples.count == 10)
        for (index, sample) in samples.enumerated() {
            #expect(sample.presentationTimeStamp == CMTime(value: CMTimeValue(index * 1001), timescale: 30000))
            #expect(sample.duration == CMTime(value: 1001, timescale: 30000))
            #expect(sample.formatDescription?.mediaSubType == .h264)
            #expect(sample.formatDescription?.parameterSets.count == 2)
            #expect(sample.sampleAttachments[0][.notSync] as? Bool == (index % 5 == 0 ? nil : true))
            #expect(sample.totalSampleSize == sample.dataBuffer?.dataLength)
        }
    }

    private func encodeAll(
        _ session: VTCompressionSession, _ encode: (CVPixelBuffer, CMTime, CMTime) -> OSStatus
    ) throws {
        for (key, value) in [
            (kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse as AnyObject),
            (kVTCompressionPropertyKey_MaxKeyFrameInterval, NSNumber(value: 5)),
        ] {
            #expect(VTSessionSetProperty(session, key: key, value: value) == noErr)
        }
        for index in 0..<10 {
            let buffer = try makeFrame(session, brightness: UInt8(40 + index * 10))
            let time = CMTime(value: CMTimeValue(index * 1001), timescale: 30000)
            #expect(encode(buffer, time, CMTime(value: 1001, timescale: 30000)) == noErr)
        }
        #expect(VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid) == noErr)
    }

    @Test func aClosureIsTheCallback() throws {
        let output = Output()
        let session = try makeSession(
            { refcon, _, status, _, sample in
                guard let refcon = unsafe refcon, status == noErr, let sample else { return }
                unsafe Unmanaged<Output>.fromOpaque(refcon).takeUnretainedValue().keep(sample)
            }, output)
        try encodeAll(session) { buffer, time, duration in
            VTCompressionSessionEncodeFrame(
                session, imageBuffer: buffer, presentationTimeStamp: time, duration: duration, frameProperties: nil,
                sourceFrameRefcon: nil, infoFlagsOut: nil)
        }
        VTCompressionSessionInvalidate(session)
        try checkSamples(output.samples)
        withExtendedLifetime(output) {}
    }

    @Test func framesBringTheirOwnHandlers() throws {
        let output = Output()
        let session = try makeSession(nil, nil)
        try encodeAll(session) { buffer, time, duration in
            VTCompressionSessionEncodeFrame(
                session, imageBuffer: buffer, presentationTimeStamp: time, duration: duration, frameProperties: nil,
                infoFlagsOut: nil
            ) { status, flags, sample in
                #expect(status == noErr && !flags.contains(.frameDropped))
                if let sample { output.keep(sample) }
            }
        }
        try checkSamples(output.samples)
    }

    @Test func propertiesAreReadBack() throws {
        let session = try makeSession(nil, nil)
        #expect(
            VTSessionSetProperty(
                session, key: kVTCompressionPropertyKey_AverageBitRate, value: NSNumber(value: 300_000))
                == noErr)
        var value: CFTypeRef?
        let status = unsafe withUnsafeMutablePointer(to: &value) { place in
            unsafe VTSessionCopyProperty(
                session, key: kVTCompressionPropertyKey_AverageBitRate, allocator: nil, valueOut: place)
        }
        #expect(status == noErr)
        #expect((value as? NSNumber)?.intValue == 300_000)
        #expect(
            VTSessionSetProperty(
                session, key: kVTCompressionPropertyKey_AverageBitRate, value: kVTProfileLevel_H264_High_4_0)
                != noErr)
    }
}
