public import CoreFoundationTypes

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
}
