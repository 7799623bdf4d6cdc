public import CoreFoundationTypes
public import Foundation

// The strings that some extensions have as values. The constants in CMFormatDescription.h document them.
extension CMFormatDescription.Extensions.Value {
    public struct FieldDetail: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }

        public static var temporalTopFirst: Self { Self(rawValue: kCMFormatDescriptionFieldDetail_TemporalTopFirst) }
        public static var temporalBottomFirst: Self {
            Self(rawValue: kCMFormatDescriptionFieldDetail_TemporalBottomFirst)
        }
        public static var spatialFirstLineEarly: Self {
            Self(rawValue: kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly)
        }
        public static var spatialFirstLineLate: Self {
            Self(rawValue: kCMFormatDescriptionFieldDetail_SpatialFirstLineLate)
        }
    }

    public static func fieldDetail(_ fieldDetail: FieldDetail) -> Self { Self(fieldDetail.rawValue) }

    public struct ColorPrimaries: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }

        public static var itu_R_709_2: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_ITU_R_709_2) }
        public static var ebu_3213: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_EBU_3213) }
        public static var smpte_C: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_SMPTE_C) }
        public static var dci_P3: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_DCI_P3) }
        public static var p3_D65: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_P3_D65) }
        public static var itu_R_2020: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_ITU_R_2020) }
        public static var p22: Self { Self(rawValue: kCMFormatDescriptionColorPrimaries_P22) }
    }

    public static func colorPrimaries(_ colorPrimaries: ColorPrimaries) -> Self { Self(colorPrimaries.rawValue) }

    public struct TransferFunction: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }

        public static var itu_R_709_2: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_ITU_R_709_2) }
        public static var smpte_240M_1995: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_SMPTE_240M_1995) }
        public static var useGamma: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_UseGamma) }
        public static var itu_R_2020: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_ITU_R_2020) }
        public static var smpte_ST_428_1: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_SMPTE_ST_428_1) }
        public static var smpte_ST_2084_PQ: Self {
            Self(rawValue: kCMFormatDescriptionTransferFunction_SMPTE_ST_2084_PQ)
        }
        public static var itu_R_2100_HLG: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG) }
        public static var linear: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_Linear) }
        public static var sRGB: Self { Self(rawValue: kCMFormatDescriptionTransferFunction_sRGB) }
    }

    public static func transferFunction(_ transferFunction: TransferFunction) -> Self {
        Self(transferFunction.rawValue)
    }

    public struct YCbCrMatrix: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }

        public static var itu_R_709_2: Self { Self(rawValue: kCMFormatDescriptionYCbCrMatrix_ITU_R_709_2) }
        public static var itu_R_601_4: Self { Self(rawValue: kCMFormatDescriptionYCbCrMatrix_ITU_R_601_4) }
        public static var smpte_240M_1995: Self { Self(rawValue: kCMFormatDescriptionYCbCrMatrix_SMPTE_240M_1995) }
        /// The name of this type on a Mac.
        public static var smpted_240M_1995: Self { smpte_240M_1995 }
        public static var itu_R_2020: Self { Self(rawValue: kCMFormatDescriptionYCbCrMatrix_ITU_R_2020) }
    }

    public static func yCbCrMatrix(_ yCbCrMatrix: YCbCrMatrix) -> Self { Self(yCbCrMatrix.rawValue) }

    public struct ChromaLocation: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }

        public static var left: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_Left) }
        public static var center: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_Center) }
        public static var topLeft: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_TopLeft) }
        public static var top: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_Top) }
        public static var bottomLeft: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_BottomLeft) }
        public static var bottom: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_Bottom) }
        public static var dv420: Self { Self(rawValue: kCMFormatDescriptionChromaLocation_DV420) }
    }

    public static func chromaLocation(_ chromaLocation: ChromaLocation) -> Self { Self(chromaLocation.rawValue) }

    public struct AlphaChannelMode: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }

        public static var straightAlpha: Self { Self(rawValue: kCMFormatDescriptionAlphaChannelMode_StraightAlpha) }
        public static var premultipliedAlpha: Self {
            Self(rawValue: kCMFormatDescriptionAlphaChannelMode_PremultipliedAlpha)
        }
    }

    public static func alphaChannelMode(_ alphaChannelMode: AlphaChannelMode) -> Self {
        Self(alphaChannelMode.rawValue)
    }
}
