public import CoreFoundationTypes
public import Foundation

extension CMFormatDescription {
    /// The extensions of a description.
    public struct Extensions: ExpressibleByDictionaryLiteral {
        public struct Key: RawRepresentable, Hashable {
            public let rawValue: CFString

            public init(rawValue: CFString) { self.rawValue = rawValue }
        }

        private(set) var values: [Key: Value] = [:]

        public init() {}

        public init(base: [CFString: CFPropertyList]?) {
            for (key, value) in base ?? [:] { values[Key(rawValue: key)] = Value(value) }
        }

        public init(dictionaryLiteral elements: (Key, Value)...) {
            for (key, value) in elements { values[key] = value }
        }

        init(_ object: CFDictionary?) {
            for (key, value) in object ?? [:] {
                if let key = key as? NSString { values[Key(rawValue: key)] = Value(value as AnyObject) }
            }
        }

        public subscript(key: Key) -> Value? {
            get { values[key] }
            set { values[key] = newValue }
        }

        public subscript(key: CFString) -> CFPropertyList? {
            get { values[Key(rawValue: key)]?.propertyListRepresentation }
            set { values[Key(rawValue: key)] = newValue.map(Value.init) }
        }

        public var isEmpty: Bool { values.isEmpty }
        public var count: Int { values.count }
        public var keys: [Key] { Array(values.keys) }

        /// The extensions as an argument for C functions; nil if there are none.
        var object: CFDictionary? {
            guard !values.isEmpty else { return nil }
            let dictionary = NSMutableDictionary()
            for (key, value) in values { dictionary[key.rawValue] = value.propertyListRepresentation }
            return dictionary
        }
    }
}

// The constants in CMFormatDescription.h document the keys.
extension CMFormatDescription.Extensions.Key {
    public static var formatName: Self { Self(rawValue: kCMFormatDescriptionExtension_FormatName) }
    public static var depth: Self { Self(rawValue: kCMFormatDescriptionExtension_Depth) }
    public static var cleanAperture: Self { Self(rawValue: kCMFormatDescriptionExtension_CleanAperture) }
    public static var fieldCount: Self { Self(rawValue: kCMFormatDescriptionExtension_FieldCount) }
    public static var fieldDetail: Self { Self(rawValue: kCMFormatDescriptionExtension_FieldDetail) }
    public static var pixelAspectRatio: Self { Self(rawValue: kCMFormatDescriptionExtension_PixelAspectRatio) }
    public static var colorPrimaries: Self { Self(rawValue: kCMFormatDescriptionExtension_ColorPrimaries) }
    public static var transferFunction: Self { Self(rawValue: kCMFormatDescriptionExtension_TransferFunction) }
    public static var logTransferFunction: Self { Self(rawValue: kCMFormatDescriptionExtension_LogTransferFunction) }
    public static var gammaLevel: Self { Self(rawValue: kCMFormatDescriptionExtension_GammaLevel) }
    public static var yCbCrMatrix: Self { Self(rawValue: kCMFormatDescriptionExtension_YCbCrMatrix) }
    public static var fullRangeVideo: Self { Self(rawValue: kCMFormatDescriptionExtension_FullRangeVideo) }
    public static var iccProfile: Self { Self(rawValue: kCMFormatDescriptionExtension_ICCProfile) }
    public static var bytesPerRow: Self { Self(rawValue: kCMFormatDescriptionExtension_BytesPerRow) }
    public static var bitsPerComponent: Self { Self(rawValue: kCMFormatDescriptionExtension_BitsPerComponent) }
    public static var chromaLocationTopField: Self {
        Self(rawValue: kCMFormatDescriptionExtension_ChromaLocationTopField)
    }
    public static var chromaLocationBottomField: Self {
        Self(rawValue: kCMFormatDescriptionExtension_ChromaLocationBottomField)
    }
    public static var temporalQuality: Self { Self(rawValue: kCMFormatDescriptionExtension_TemporalQuality) }
    public static var spatialQuality: Self { Self(rawValue: kCMFormatDescriptionExtension_SpatialQuality) }
    public static var version: Self { Self(rawValue: kCMFormatDescriptionExtension_Version) }
    public static var revisionLevel: Self { Self(rawValue: kCMFormatDescriptionExtension_RevisionLevel) }
    public static var vendor: Self { Self(rawValue: kCMFormatDescriptionExtension_Vendor) }
    public static var masteringDisplayColorVolume: Self {
        Self(rawValue: kCMFormatDescriptionExtension_MasteringDisplayColorVolume)
    }
    public static var contentLightLevelInfo: Self {
        Self(rawValue: kCMFormatDescriptionExtension_ContentLightLevelInfo)
    }
    public static var ambientViewingEnvironment: Self {
        Self(rawValue: kCMFormatDescriptionExtension_AmbientViewingEnvironment)
    }
    public static var alternativeTransferCharacteristics: Self {
        Self(rawValue: kCMFormatDescriptionExtension_AlternativeTransferCharacteristics)
    }
    public static var auxiliaryTypeInfo: Self { Self(rawValue: kCMFormatDescriptionExtension_AuxiliaryTypeInfo) }
    public static var alphaChannelMode: Self { Self(rawValue: kCMFormatDescriptionExtension_AlphaChannelMode) }
    public static var containsAlphaChannel: Self { Self(rawValue: kCMFormatDescriptionExtension_ContainsAlphaChannel) }
    public static var originalCompressionSettings: Self {
        Self(rawValue: kCMFormatDescriptionExtension_OriginalCompressionSettings)
    }
    public static var sampleDescriptionExtensionAtoms: Self {
        Self(rawValue: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms)
    }
    public static var verbatimSampleDescription: Self {
        Self(rawValue: kCMFormatDescriptionExtension_VerbatimSampleDescription)
    }
    public static var verbatimISOSampleEntry: Self {
        Self(rawValue: kCMFormatDescriptionExtension_VerbatimISOSampleEntry)
    }
}
