import Foundation
import Testing
import VideoToolbox

/// The extensions of format descriptions with the types of a Mac.
struct FormatExtensionTests {
    @Test func valuesAreMadeAndRead() throws {
        var extensions = CMFormatDescription.Extensions()
        extensions[.formatName] = .string("HEVC")
        extensions[.version] = .number(0)
        extensions[.revisionLevel] = .number(Int16(1))
        extensions[.temporalQuality] = .number(UInt32(512))
        extensions[.gammaLevel] = .number(2.5)
        extensions[.bitsPerComponent] = .number(UInt8(8))
        extensions[.containsAlphaChannel] = .init(true as CFBoolean)
        extensions[.transferFunction] = .transferFunction(.smpte_ST_2084_PQ)
        extensions[.colorPrimaries] = .colorPrimaries(.itu_R_2020)
        extensions[.yCbCrMatrix] = .yCbCrMatrix(.itu_R_2020)
        extensions[.pixelAspectRatio] = .pixelAspectRatio(horizontalSpacing: 4, verticalSpacing: 3)
        extensions[kCMFormatDescriptionExtension_Depth] = 24 as CFNumber
        extensions[.spatialQuality] = .number(3)
        extensions[.spatialQuality] = nil
        let description = try CMFormatDescription(
            videoCodecType: .hevc, width: 64, height: 48, extensions: extensions)
        let found = description.extensions
        #expect(found.count == 12 && found[.spatialQuality] == nil && found[.depth] == .number(24))
        #expect(found[.formatName] == .string("HEVC") && found[.version] == .number(0.0))
        #expect(found[.revisionLevel] == .number(1) && found[.temporalQuality] == .number(512))
        #expect(found[.gammaLevel]?.propertyListRepresentation as? Double == 2.5)
        #expect(found[.bitsPerComponent] == .number(8) && found[.bitsPerComponent] != .number(9))
        #expect(found[.containsAlphaChannel]?.propertyListRepresentation as? Bool == true)
        #expect(found[.transferFunction] == .string(kCMFormatDescriptionTransferFunction_SMPTE_ST_2084_PQ))
        #expect(found[.colorPrimaries]?.propertyListRepresentation as? String == "ITU_R_2020")
        #expect(found[.yCbCrMatrix] == .yCbCrMatrix(.itu_R_2020) && found[.yCbCrMatrix] != .string("ITU_R_709_2"))
        let ratio = found[.pixelAspectRatio]?.propertyListRepresentation as? [String: Int]
        #expect(ratio == ["HorizontalSpacing": 4, "VerticalSpacing": 3])
        #expect(found[kCMFormatDescriptionExtension_Depth] as? Int == 24)
        #expect(CFGetTypeID(description) == CMFormatDescription.typeID)
    }

    @Test func aperturesAreRectanglesAndFractions() throws {
        let plain = try CMFormatDescription(
            videoCodecType: .h264, width: 64, height: 48,
            extensions: [
                .cleanAperture: .cleanAperture(width: 60, height: 40, horizontalOffet: 0, verticalOffset: 0)
            ])
        #expect(plain.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 2, y: 4, width: 60, height: 40))
        let fractions = try CMFormatDescription(
            videoCodecType: .h264, width: 64, height: 48,
            extensions: [
                .cleanAperture: .cleanAperture(
                    width: (60, 1), height: (80, 2), horizontalOffet: (0, 1), verticalOffset: (0, 1))
            ])
        #expect(fractions.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 2, y: 4, width: 60, height: 40))
    }

    @Test func descriptionsMayHaveNoExtensions() throws {
        let description = try CMFormatDescription(videoCodecType: .h264, width: 64, height: 48, extensions: nil)
        #expect(description.extensions.isEmpty)
        let base: [CFString: CFPropertyList]? = [kCMFormatDescriptionExtension_Depth: 24 as CFNumber]
        #expect(CMFormatDescription.Extensions(base: base)[.depth] == .number(24))
    }
}
