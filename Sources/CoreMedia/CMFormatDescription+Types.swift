public import CoreFoundationTypes
public import Foundation

extension CMFormatDescription {
    public struct MediaType: RawRepresentable, Hashable, Sendable {
        public let rawValue: CMMediaType

        public init(rawValue: CMMediaType) { self.rawValue = rawValue }

        public static let video = MediaType(rawValue: kCMMediaType_Video)
        public static let audio = MediaType(rawValue: kCMMediaType_Audio)
        public static let muxed = MediaType(rawValue: kCMMediaType_Muxed)
        public static let text = MediaType(rawValue: kCMMediaType_Text)
        public static let closedCaption = MediaType(rawValue: kCMMediaType_ClosedCaption)
        public static let subtitle = MediaType(rawValue: kCMMediaType_Subtitle)
        public static let timeCode = MediaType(rawValue: kCMMediaType_TimeCode)
        public static let metadata = MediaType(rawValue: kCMMediaType_Metadata)
    }

    /// A codec or a pixel format. Audio codecs are only names: no function here decodes or encodes audio.
    public struct MediaSubType: RawRepresentable, Hashable, Sendable {
        public let rawValue: FourCharCode

        public init(rawValue: FourCharCode) { self.rawValue = rawValue }

        public static let h263 = MediaSubType(rawValue: kCMVideoCodecType_H263)
        public static let h264 = MediaSubType(rawValue: kCMVideoCodecType_H264)
        public static let hevc = MediaSubType(rawValue: kCMVideoCodecType_HEVC)
        public static let hevcWithAlpha = MediaSubType(rawValue: kCMVideoCodecType_HEVCWithAlpha)
        public static let jpeg = MediaSubType(rawValue: kCMVideoCodecType_JPEG)
        public static let mpeg1Video = MediaSubType(rawValue: kCMVideoCodecType_MPEG1Video)
        public static let mpeg2Video = MediaSubType(rawValue: kCMVideoCodecType_MPEG2Video)
        public static let mpeg4Video = MediaSubType(rawValue: kCMVideoCodecType_MPEG4Video)
        public static let vp9 = MediaSubType(rawValue: kCMVideoCodecType_VP9)
        public static let av1 = MediaSubType(rawValue: kCMVideoCodecType_AV1)
        public static let proRes422 = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422)
        public static let proRes422HQ = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422HQ)
        public static let proRes422LT = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422LT)
        public static let proRes422Proxy = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422Proxy)
        public static let proRes4444 = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes4444)
        public static let pixelFormat_32ARGB = MediaSubType(rawValue: FourCharCode(kCMPixelFormat_32ARGB))
        public static let pixelFormat_32BGRA = MediaSubType(rawValue: kCMPixelFormat_32BGRA)
        public static let pixelFormat_422YpCbCr8 = MediaSubType(rawValue: kCMPixelFormat_422YpCbCr8)

        public static let aacLCProtected = MediaSubType(rawValue: kCMAudioCodecType_AAC_LCProtected)
        public static let aacAudibleProtected = MediaSubType(rawValue: kCMAudioCodecType_AAC_AudibleProtected)
        public static let linearPCM = MediaSubType(rawValue: 0x6C70636D)  // 'lpcm'
        public static let ac3 = MediaSubType(rawValue: 0x61632D33)  // 'ac-3'
        public static let enhancedAC3 = MediaSubType(rawValue: 0x65632D33)  // 'ec-3'
        public static let mpeg4AAC = MediaSubType(rawValue: 0x61616320)  // 'aac '
        public static let mpeg4AAC_HE = MediaSubType(rawValue: 0x61616368)  // 'aach'
        public static let mpeg4AAC_HE_V2 = MediaSubType(rawValue: 0x61616370)  // 'aacp'
        public static let mpeg4AAC_LD = MediaSubType(rawValue: 0x6161636C)  // 'aacl'
        public static let mpeg4AAC_ELD = MediaSubType(rawValue: 0x61616365)  // 'aace'
        public static let mpeg4AAC_ELD_SBR = MediaSubType(rawValue: 0x61616366)  // 'aacf'
        public static let mpeg4AAC_ELD_V2 = MediaSubType(rawValue: 0x61616367)  // 'aacg'
        public static let mpeg4AAC_Spatial = MediaSubType(rawValue: 0x61616373)  // 'aacs'
        public static let mpegLayer3 = MediaSubType(rawValue: 0x2E6D7033)  // '.mp3'
        public static let appleLossless = MediaSubType(rawValue: 0x616C6163)  // 'alac'
        public static let flac = MediaSubType(rawValue: 0x666C6163)  // 'flac'
        public static let opus = MediaSubType(rawValue: 0x6F707573)  // 'opus'
    }

    /// The extensions of a description, as Swift values: `Bool`, `Int`, `Double`, `String`, `Data`, arrays of these,
    /// and dictionaries from `String` to these.
    public struct Extensions: ExpressibleByDictionaryLiteral {
        public struct Key: RawRepresentable, Hashable {
            public let rawValue: CFString

            public init(rawValue: CFString) { self.rawValue = rawValue }
        }

        private(set) var values: [Key: Any] = [:]

        public init() {}

        public init(dictionaryLiteral elements: (Key, Any)...) {
            for (key, value) in elements { values[key] = value }
        }

        init(_ object: CFDictionary?) {
            guard let object else { return }
            for (name, value) in dictionary(object) { values[Key(rawValue: name as CFString)] = value }
        }

        public subscript(key: Key) -> Any? {
            get { values[key] }
            set { values[key] = newValue }
        }

        public var isEmpty: Bool { values.isEmpty }
        public var count: Int { values.count }
        public var keys: [Key] { Array(values.keys) }

        /// The extensions as an argument for C functions; nil if there are none.
        var object: CFDictionary? {
            guard !values.isEmpty else { return nil }
            let dictionary = NSMutableDictionary()
            for (key, value) in values { dictionary[key.rawValue] = value }
            return dictionary
        }
    }
}

extension CMFormatDescription.Extensions.Key {
    public static var formatName: Self { Self(rawValue: kCMFormatDescriptionExtension_FormatName) }
    public static var depth: Self { Self(rawValue: kCMFormatDescriptionExtension_Depth) }
    public static var cleanAperture: Self { Self(rawValue: kCMFormatDescriptionExtension_CleanAperture) }
    public static var fieldCount: Self { Self(rawValue: kCMFormatDescriptionExtension_FieldCount) }
    public static var fieldDetail: Self { Self(rawValue: kCMFormatDescriptionExtension_FieldDetail) }
    public static var pixelAspectRatio: Self { Self(rawValue: kCMFormatDescriptionExtension_PixelAspectRatio) }
    public static var colorPrimaries: Self { Self(rawValue: kCMFormatDescriptionExtension_ColorPrimaries) }
    public static var transferFunction: Self { Self(rawValue: kCMFormatDescriptionExtension_TransferFunction) }
    public static var gammaLevel: Self { Self(rawValue: kCMFormatDescriptionExtension_GammaLevel) }
    public static var yCbCrMatrix: Self { Self(rawValue: kCMFormatDescriptionExtension_YCbCrMatrix) }
    public static var fullRangeVideo: Self { Self(rawValue: kCMFormatDescriptionExtension_FullRangeVideo) }
    public static var iccProfile: Self { Self(rawValue: kCMFormatDescriptionExtension_ICCProfile) }
    public static var bytesPerRow: Self { Self(rawValue: kCMFormatDescriptionExtension_BytesPerRow) }
    public static var chromaLocationTopField: Self {
        Self(rawValue: kCMFormatDescriptionExtension_ChromaLocationTopField)
    }
    public static var chromaLocationBottomField: Self {
        Self(rawValue: kCMFormatDescriptionExtension_ChromaLocationBottomField)
    }
    public static var masteringDisplayColorVolume: Self {
        Self(rawValue: kCMFormatDescriptionExtension_MasteringDisplayColorVolume)
    }
    public static var contentLightLevelInfo: Self {
        Self(rawValue: kCMFormatDescriptionExtension_ContentLightLevelInfo)
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
