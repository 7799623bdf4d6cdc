import Foundation
import Testing
import VideoToolbox

/// CoreVideo as Swift programs for a Mac use it: functions without labels, sizes as types of Foundation.
struct PixelBufferTests {
    @Test func buffersAreMadeAndFilled() throws {
        var made: CVPixelBuffer?
        #expect(
            unsafe CVPixelBufferCreate(
                kCFAllocatorDefault, 64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &made)
                == kCVReturnSuccess)
        let buffer = try #require(made)
        #expect(CVPixelBufferLockBaseAddress(buffer, []) == kCVReturnSuccess)
        let luma = try unsafe #require(CVPixelBufferGetBaseAddressOfPlane(buffer, 0))
        unsafe memset(luma, 16, CVPixelBufferGetBytesPerRowOfPlane(buffer, 0) * 48)
        #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnSuccess)
        #expect(CVPixelBufferGetPlaneCount(buffer) == 2)
        #expect(CVImageBufferGetEncodedSize(buffer) == CGSize(width: 64, height: 48))
        #expect(CVImageBufferGetCleanRect(buffer) == CGRect(x: 0, y: 0, width: 64, height: 48))
        CVBufferSetAttachment(
            buffer, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2, .shouldPropagate)
        #expect(CVBufferHasAttachment(buffer, kCVImageBufferYCbCrMatrixKey))
    }

    @Test func anImageIsTurned() throws {
        var session: VTPixelRotationSession?
        #expect(unsafe VTPixelRotationSessionCreate(kCFAllocatorDefault, &session) == noErr)
        let rotation = try #require(session)
        #expect(
            VTSessionSetProperty(rotation, key: kVTPixelRotationPropertyKey_Rotation, value: kVTRotation_CW90) == noErr)
        var source: CVPixelBuffer?
        var destination: CVPixelBuffer?
        unsafe CVPixelBufferCreate(nil, 8, 4, kCVPixelFormatType_32BGRA, nil, &source)
        unsafe CVPixelBufferCreate(nil, 4, 8, kCVPixelFormatType_32BGRA, nil, &destination)
        #expect(
            VTPixelRotationSessionRotateImage(rotation, try #require(source), try #require(destination)) == noErr)
    }
}
