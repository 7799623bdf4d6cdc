import CoreFoundation
import CoreMedia
import CoreVideo
import Testing
import VideoToolbox

/// Objects in a file that also imports CoreFoundation, as files for a Mac do. The target contains
/// CoreFoundationNames.swift, which programs copy.
struct CoreFoundationImportTests {
    @Test func valuesBecomeObjectsNextToCoreFoundation() throws {
        let rate: CFNumber = 800_000 as CFNumber
        let properties: [CFString: Any] = [
            kVTCompressionPropertyKey_RealTime: kCFBooleanTrue as Any,
            kVTCompressionPropertyKey_AverageBitRate: rate,
            kVTCompressionPropertyKey_DataRateLimits: [200_000.0, 1] as CFArray,
        ]
        var created: VTCompressionSession?
        #expect(
            VTCompressionSessionCreate(
                allocator: kCFAllocatorDefault, width: 64, height: 64, codecType: kCMVideoCodecType_H264,
                encoderSpecification: nil, imageBufferAttributes: nil, compressedDataAllocator: nil,
                outputCallback: nil, refcon: nil, compressionSessionOut: &created) == noErr)
        let session = try #require(created)
        #expect(VTSessionSetProperties(session, propertyDictionary: properties as CFDictionary) == noErr)
        #expect(CFDictionaryGetCount(properties as CFDictionary) == 3)
        #expect(kCFBooleanFalse == false as CFBoolean)
    }

    @Test func theRestOfCoreFoundationIsThereAsWell() {
        let loop: CFRunLoop = CFRunLoopGetMain()
        #expect(CFGetTypeID(loop) == CFRunLoopGetTypeID())
        #expect(CFAbsoluteTimeGetCurrent() > 0)
        let name: CFString = "frames" as CFString
        #expect(CFGetTypeID(name) == CFStringGetTypeID())
    }
}
