import Foundation
import Testing
import VideoToolbox

/// Swift values as objects of CoreFoundation, as programs for a Mac write them.
struct CoreFoundationTypesTests {
    private func makeSession(_ specification: CFDictionary?, _ attributes: CFDictionary?) throws -> VTCompressionSession
    {
        var session: VTCompressionSession?
        #expect(
            unsafe VTCompressionSessionCreate(
                allocator: kCFAllocatorDefault, width: 64, height: 48, codecType: kCMVideoCodecType_H264,
                encoderSpecification: specification, imageBufferAttributes: attributes, compressedDataAllocator: nil,
                outputCallback: nil, refcon: nil, compressionSessionOut: &session) == noErr)
        return try #require(session)
    }

    @Test func valuesAreConvertedWithAs() throws {
        let session = try makeSession(
            [kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder: true] as CFDictionary,
            [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA] as CFDictionary)
        let rate = 300_000
        let limits: [Double] = [60_000, 1]
        for (key, value) in [
            (kVTCompressionPropertyKey_AverageBitRate, rate as CFNumber),
            (kVTCompressionPropertyKey_DataRateLimits, limits as CFArray),
            (kVTCompressionPropertyKey_AllowFrameReordering, false as CFBoolean),
            (kVTCompressionPropertyKey_RealTime, true as CFTypeRef),
            (kVTCompressionPropertyKey_ExpectedFrameRate, 30 as CFTypeRef),
            ("MaxKeyFrameInterval" as CFString, NSNumber(value: 60)),
            (kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Main_AutoLevel),
        ] as [(CFString, CFTypeRef)] {
            #expect(VTSessionSetProperty(session, key: key, value: value) == noErr, "\(key)")
        }
        let properties: [CFString: Any] = [
            kVTCompressionPropertyKey_Quality: 0.5, kVTCompressionPropertyKey_AllowTemporalCompression: kCFBooleanTrue!,
        ]
        #expect(VTSessionSetProperties(session, propertyDictionary: properties as CFDictionary) == noErr)
        #expect(
            VTSessionSetProperty(session, key: kVTCompressionPropertyKey_AverageBitRate, value: true as CFBoolean)
                != noErr)

        var serialized: CFDictionary?
        #expect(
            unsafe VTSessionCopySerializableProperties(session, allocator: nil, dictionaryOut: &serialized) == noErr)
        let values = try #require(serialized as? [String: Any])
        #expect(values[kVTCompressionPropertyKey_AverageBitRate as String] as? Int == rate)
        #expect(values["DataRateLimits"] as? [Double] == limits)
        #expect(values["AllowFrameReordering"] as? Bool == false)
        #expect(values["ProfileLevel"] as? String == kVTProfileLevel_H264_Main_AutoLevel as String)
        let pool = try #require(VTCompressionSessionGetPixelBufferPool(session))
        let attributes = try #require(CVPixelBufferPoolGetPixelBufferAttributes(pool) as? [CFString: Any])
        #expect(attributes[kCVPixelBufferPixelFormatTypeKey] as? OSType == kCVPixelFormatType_32BGRA)
    }

    @Test func attachmentsAreReadAsDictionaries() throws {
        let description = try CMFormatDescription(h264ParameterSets: SampleBufferTests.parameterSets)
        let sample = try CMSampleBuffer(
            dataBuffer: CMBlockBuffer(length: 4), formatDescription: description, numSamples: 1, sampleTimings: [],
            sampleSizes: [4])
        sample.sampleAttachments[0][.notSync] = true
        let attachments = try #require(CMSampleBufferGetSampleAttachmentsArray(sample, createIfNecessary: true))
        let dictionaries = try #require(attachments as? [[CFString: Any]])
        #expect(dictionaries[0][kCMSampleAttachmentKey_NotSync] as? Bool == true)
        #expect((attachments as NSArray).count == 1 && CFArrayGetCount(attachments) == 1)

        // The same with the functions of CoreFoundation.
        let dictionary = unsafe unsafeBitCast(CFArrayGetValueAtIndex(attachments, 0), to: CFMutableDictionary.self)
        let key = unsafe Unmanaged.passUnretained(kCMSampleAttachmentKey_DisplayImmediately).toOpaque()
        unsafe CFDictionarySetValue(dictionary, key, Unmanaged.passUnretained(kCFBooleanTrue).toOpaque())
        #expect(unsafe CFDictionaryContainsKey(dictionary, key) && CFDictionaryGetCount(dictionary) == 2)
        #expect(sample.sampleAttachments[0][.displayImmediately] as? Bool == true)

        let atoms = CMFormatDescriptionGetExtension(
            description, extensionKey: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms)
        let configuration = try #require((atoms as? [String: Any])?["avcC"] as? Data)
        #expect((atoms as? NSDictionary)?["avcC"] as? Data == configuration)
        let all = try #require(CMFormatDescriptionGetExtensions(description))
        #expect((all["SampleDescriptionExtensionAtoms"] as? NSDictionary)?["avcC"] as? Data == configuration)
        let extensions: [CFString: Any] = [
            kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms: ["avcC": configuration] as CFDictionary
        ]
        var again: CMVideoFormatDescription?
        #expect(
            unsafe CMVideoFormatDescriptionCreate(
                allocator: nil, codecType: kCMVideoCodecType_H264, width: 320, height: 240,
                extensions: extensions as CFDictionary, formatDescriptionOut: &again) == noErr)
        #expect(again?.parameterSets == SampleBufferTests.parameterSets)
        #expect(CMFormatDescriptionGetExtensions(description) as? [String: Any] != nil)
    }

    @Test func objectsAreMadeByCoreFoundationsFunctions() throws {
        var keys = kCFTypeDictionaryKeyCallBacks
        var values = kCFTypeDictionaryValueCallBacks
        let dictionary = try #require(unsafe CFDictionaryCreateMutable(nil, 0, &keys, &values))
        var rate = 30
        let number = try #require(unsafe CFNumberCreate(nil, .intType, &rate))
        unsafe CFDictionarySetValue(
            dictionary, Unmanaged.passUnretained(kVTCompressionPropertyKey_ExpectedFrameRate).toOpaque(),
            Unmanaged.passUnretained(number).toOpaque())
        let session = try makeSession(nil, nil)
        #expect(VTSessionSetProperties(session, propertyDictionary: dictionary) == noErr)
        var value: CFTypeRef?
        #expect(
            unsafe VTSessionCopyProperty(
                session, key: kVTCompressionPropertyKey_ExpectedFrameRate, allocator: nil, valueOut: &value) == noErr)
        #expect(value as? Int == 30)
    }

    @Test func objectsHaveAttachments() throws {
        let buffer = try CMBlockBuffer(length: 2)
        buffer.attachments["name"] = .shouldPropagate("value")
        buffer.attachments["kept"] = .shouldNotPropagate(3)
        #expect(buffer.attachments["name"]?.value as? String == "value")
        #expect(buffer.attachments["name"]?.mode == .shouldPropagate)
        #expect(buffer.attachments.nonPropagated["kept"] as? Int == 3)
        let sample = try CMSampleBuffer(
            dataBuffer: buffer, formatDescription: nil, numSamples: 0, sampleTimings: [], sampleSizes: [])
        buffer.propagateAttachments(to: sample)
        #expect(sample.attachments.propagated.keys.sorted() == ["name"] && sample.attachments.nonPropagated.isEmpty)
        sample.attachments[.forceKeyFrame] = .shouldNotPropagate(true)
        sample.attachments.merge(["a": 1, "b": Data([2])], mode: .shouldPropagate)
        sample.attachments["name"] = nil
        #expect(sample.attachments.propagated.keys.sorted() == ["a", "b"])
        #expect(sample.attachments.propagated["b"] as? Data == Data([2]))
        #expect(sample.attachments[.forceKeyFrame]?.value as? Bool == true)
        sample.attachments.removeAll()
        #expect(sample.attachments.propagated.isEmpty && sample.attachments[.forceKeyFrame] == nil)
    }

    @Test func memoryOfAProgramIsGivenBack() throws {
        final class Count { var freed = 0 }
        let count = Count()
        do {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
            unsafe memory.copyBytes(from: [1, 2, 3, 4])
            let buffer = try unsafe CMBlockBuffer(buffer: memory) { address, size in
                #expect(size == 4)
                unsafe address.deallocate()
                count.freed += 1
            }
            let part = try CMBlockBuffer(bufferReference: buffer[1...])
            #expect(try part.dataBytes() == Data([2, 3, 4]) && count.freed == 0)
            let own = try unsafe CMBlockBuffer(
                length: 3, allocator: { unsafe malloc($0) },
                deallocator: { address, _ in
                    unsafe free(address)
                    count.freed += 1
                }, range: 1..<3)
            try own.fillDataBytes(with: 7)
            #expect(try own.makeContiguous(flags: .alwaysCopyData).dataBytes() == Data([7, 7]))
            #expect(throws: NSError.self) {
                try unsafe own.append(buffer: UnsafeMutableRawBufferPointer(start: nil, count: 0)) { _, _ in }
            }
        }
        #expect(count.freed == 2)
        var bytes: [UInt8] = [5, 6]
        try bytes.withUnsafeMutableBytes { memory in
            let buffer = try unsafe CMBlockBuffer(buffer: memory, allocator: kCFAllocatorNull)
            #expect(try buffer.dataBytes() == Data([5, 6]))
        }
    }

    @Test func descriptionsAreComparedByContent() throws {
        let first = try CMFormatDescription(h264ParameterSets: SampleBufferTests.parameterSets)
        let second = try CMFormatDescription(h264ParameterSets: SampleBufferTests.parameterSets)
        #expect(first == second && Set([first, second]).count == 1)
        #expect(try CMBlockBuffer() != CMBlockBuffer())
    }
}
