import Foundation
import Testing
import VideoToolbox

/// CoreFoundation's functions with the optional objects that other functions return.
struct CoreFoundationFunctionsTests {
    @Test func optionalResultsAreArguments() throws {
        let sample = try CMSampleBuffer(
            dataBuffer: CMBlockBuffer(length: 4), formatDescription: nil, numSamples: 1, sampleTimings: [],
            sampleSizes: [4])
        sample.sampleAttachments[0][.notSync] = true
        // The expression with which most programs for a Mac find key frames.
        let isKeyFrame = unsafe !CFDictionaryContainsKey(
            unsafeBitCast(
                CFArrayGetValueAtIndex(CMSampleBufferGetSampleAttachmentsArray(sample, createIfNecessary: true), 0),
                to: CFDictionary.self),
            unsafeBitCast(kCMSampleAttachmentKey_NotSync, to: UnsafeRawPointer.self))
        #expect(!isKeyFrame)

        let attachments = CMSampleBufferGetSampleAttachmentsArray(sample, createIfNecessary: true)
        let pointer: UnsafeRawPointer = unsafe CFArrayGetValueAtIndex(attachments, 0)
        let first: CFDictionary? = unsafe Unmanaged.fromOpaque(pointer).takeUnretainedValue()
        #expect(CFArrayGetCount(attachments) == 1 && CFDictionaryGetCount(first) == 1)
        let key = unsafe Unmanaged.passUnretained(kCMSampleAttachmentKey_NotSync).toOpaque()
        var value: UnsafeRawPointer?
        #expect(unsafe CFDictionaryGetValueIfPresent(first, key, &value) && value == CFDictionaryGetValue(first, key))
        let found: CFBoolean? = unsafe value.map { unsafe Unmanaged<CFBoolean>.fromOpaque($0).takeUnretainedValue() }
        #expect(CFBooleanGetValue(found) && CFGetTypeID(found) == CFBooleanGetTypeID())
        #expect(unsafe CFArrayGetValueAtIndex(attachments, 1) == nil && CFArrayGetValueAtIndex(attachments, -1) == nil)
    }

    @Test func nilHasNoContents() {
        let array: CFMutableArray? = nil
        let dictionary: CFMutableDictionary? = nil
        let number: CFNumber? = nil
        let data: CFData? = nil
        let string: CFString? = nil
        let key = unsafe Unmanaged.passUnretained(kCMSampleAttachmentKey_NotSync).toOpaque()
        var value: UnsafeRawPointer?
        var integer = 7
        unsafe CFArrayAppendValue(array, key)
        unsafe CFDictionarySetValue(dictionary, key, key)
        unsafe CFDictionaryAddValue(dictionary, key, key)
        unsafe CFDictionaryRemoveValue(dictionary, key)
        CFDictionaryRemoveAllValues(dictionary)
        unsafe CFDictionaryGetKeysAndValues(dictionary, &value, nil)
        #expect(unsafe CFArrayGetCount(array) == 0 && CFArrayGetValueAtIndex(array, 0) == nil)
        #expect(unsafe CFDictionaryGetCount(dictionary) == 0 && CFDictionaryGetValue(dictionary, key) == nil)
        #expect(unsafe !CFDictionaryContainsKey(dictionary, key))
        #expect(unsafe !CFDictionaryGetValueIfPresent(dictionary, key, &value) && value == nil)
        #expect(unsafe !CFNumberGetValue(number, .sInt64Type, &integer) && integer == 7)
        #expect(!CFNumberIsFloatType(number) && !CFBooleanGetValue(number))
        #expect(unsafe CFDataGetLength(data) == 0 && CFDataGetBytePtr(data) == nil && CFStringGetLength(string) == 0)
    }

    @Test func passesEndWithAMacsBoolean() throws {
        var created: VTCompressionSession?
        unsafe VTCompressionSessionCreate(
            allocator: nil, width: 64, height: 48, codecType: kCMVideoCodecType_H264, encoderSpecification: nil,
            imageBufferAttributes: nil, compressedDataAllocator: nil, outputCallback: nil, refcon: nil,
            compressionSessionOut: &created)
        let session = try #require(created)
        var further = DarwinBoolean(false)
        #expect(unsafe VTCompressionSessionEndPass(session, furtherPassesRequestedOut: &further, nil) != noErr)
        var plain = false
        #expect(unsafe VTCompressionSessionEndPass(session, furtherPassesRequestedOut: &plain, nil) != noErr)
        #expect(VTCompressionSessionEndPass(session, furtherPassesRequestedOut: nil, nil) != noErr)
        #expect(!further.boolValue && further == false && "\(DarwinBoolean(true))" == "true")
        #expect(MemoryLayout<DarwinBoolean>.size == 1)
    }
}
