internal import CFFmpeg

/// The properties that an audio frame states. MPEG-TS has one number for all layers of MPEG audio, which some writers
/// also give to AAC, and states neither rates nor channels.
struct AudioHeader {
    let codecID: AVCodecID
    let sampleRate: UInt32
    /// The number of channels; 0 if it is stated elsewhere in the stream.
    let channelCount: UInt32

    /// Reads the header in the first bytes of a packet. Returns nil if they are no such header.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 7 else { return nil }
        var word: UInt32 = 0
        for index in 0..<4 { word = word << 8 | UInt32(bytes[index]) }
        if word >> 16 == 0x0B77 {
            guard let header = Self.dolby(bytes) else { return nil }
            self = header
        } else if word >> 20 == 0xFFF, word >> 17 & 3 == 0 {
            guard let header = Self.transport(word) else { return nil }
            self = header
        } else if word >> 21 == 0x7FF, let header = Self.mpeg(word) {
            self = header
        } else {
            return nil
        }
    }

    /// Reads an AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1). Returns nil if an extension changes it. FLV itself
    /// always states two channels.
    init?(configuration bytes: [UInt8]) {
        // This extension states that the sample rate is not doubled.
        let isExtended = bytes.count == 5 && bytes[2] == 0x56 && bytes[3] == 0xE5 && bytes[4] & 0x80 == 0
        guard bytes.count == 2 || isExtended else { return nil }
        let word = UInt32(bytes[0]) << 8 | UInt32(bytes[1])
        let (type, rate, channels) = (word >> 11, Int(word >> 7 & 15), word >> 3 & 15)
        // Configurations that double rates or channels begin with another type, or are longer.
        guard type == 2, rate < Self.rates.count, channels > 0, channels < 8 else { return nil }
        self.init(AV_CODEC_ID_AAC, Self.rates[rate], channels == 7 ? 8 : channels)
    }

    /// The sample rates of ISO/IEC 14496-3 table 1.18.
    private static let rates: [UInt32] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
    ]

    private init(_ codecID: AVCodecID, _ sampleRate: UInt32, _ channelCount: UInt32) {
        self.codecID = codecID
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Reads a header of MPEG audio (ISO/IEC 11172-3 2.4.2.3 and 13818-3).
    private static func mpeg(_ word: UInt32) -> AudioHeader? {
        let (version, layer) = (word >> 19 & 3, word >> 17 & 3)
        let (bitRate, rate) = (word >> 12 & 15, Int(word >> 10 & 3))
        guard version != 1, layer != 0, bitRate != 15, rate != 3 else { return nil }
        let codec = [AV_CODEC_ID_NONE, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP1][Int(layer)]
        let halved: UInt32 = version == 3 ? 0 : version == 2 ? 1 : 2
        return AudioHeader(codec, [44_100, 48_000, 32_000][rate] >> halved, word >> 6 & 3 == 3 ? 1 : 2)
    }

    /// Reads a header of ADTS (ISO/IEC 13818-7 6.2).
    private static func transport(_ word: UInt32) -> AudioHeader? {
        let (rate, channels) = (Int(word >> 10 & 15), word >> 6 & 7)
        guard rate < rates.count else { return nil }
        return AudioHeader(AV_CODEC_ID_AAC, rates[rate], channels == 7 ? 8 : channels)
    }

    /// Reads a header of AC-3, or of E-AC-3 if the bsid is above 10 (ETSI TS 102 366 4.4 and E.1.2).
    private static func dolby(_ bytes: Span<UInt8>) -> AudioHeader? {
        let (four, five, six) = (bytes[4], bytes[5], bytes[6])
        let counts: [UInt32] = [2, 1, 2, 3, 3, 4, 4, 5]
        let dolbyRates: [UInt32] = [48_000, 44_100, 32_000]
        if five >> 3 > 10 {
            let (rate, half) = (Int(four >> 6), Int(four >> 4 & 3))
            guard rate < 3 || half < 3 else { return nil }
            return AudioHeader(
                AV_CODEC_ID_EAC3, rate < 3 ? dolbyRates[rate] : dolbyRates[half] / 2,
                counts[Int(four >> 1 & 7)] + UInt32(four & 1))
        }
        let rate = Int(four >> 6)
        guard rate < 3 else { return nil }
        // The mix levels lie between the channel mode and the flag of the low-frequency channel.
        let mode = six >> 5
        var levels: UInt8 = mode & 1 != 0 && mode != 1 ? 2 : 0
        levels += mode & 4 != 0 ? 2 : 0
        levels += mode == 2 ? 2 : 0
        let low = UInt32(six >> (4 - levels) & 1)
        return AudioHeader(AV_CODEC_ID_AC3, dolbyRates[rate], counts[Int(mode)] + low)
    }
}
