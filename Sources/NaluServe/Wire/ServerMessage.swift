internal import FoundationEssentials
internal import Nalu

/// The messages to the page, as docs/live.md describes them.
enum ServerMessage {
    struct Hello: Encodable {
        let type = "hello"
        let version = 1
        let source: String
        /// Whether viewers cannot change the bit rate.
        let isViewOnly: Bool
        let leastBitRate: Int
        let mostBitRate: Int
    }

    /// The format of the samples that follow.
    struct Stream: Encodable {
        let type = "stream"
        /// The codec string of RFC 6381, for example "avc1.640020".
        let codec: String
        let width: Int
        let height: Int
        /// The `AVCDecoderConfigurationRecord` in base64.
        let description: String

        /// Returns nil for a format other than H.264.
        init?(_ format: FormatDescription) {
            guard let record = format.avcCBytes, record.count > 3 else { return nil }
            codec = "avc1." + record[1...3].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            width = format.width
            height = format.height
            description = Data(record).base64EncodedString()
        }
    }

    struct State: Encodable {
        let type = "state"
        /// The bit rate that the encoder aims for, in bits per second.
        let bitRate: Int
        let viewers: Int
        /// The number of key frames and of refreshes since the start.
        let keyFrames: Int
        let refreshes: Int
        /// The time from capture to the end of encoding in milliseconds: the median of the last frames.
        let encodeDelay: Double
    }

    struct Clock: Encodable {
        let type = "clock"
        /// The page's time, copied from its request.
        let page: Double
        /// The host time in microseconds.
        let host: Int64
    }

    struct Refusal: Encodable {
        let type = "error"
        let message: String
    }

    /// Returns the message as a text frame.
    static func frame(_ message: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Every value here can be encoded: numbers are finite.
        return ServerFrame.text((try? encoder.encode(message)) ?? Data("{}".utf8))
    }

    /// Returns a sample as a binary frame: a header of 24 bytes, then NAL units with lengths of 4 bytes.
    static func frame(
        _ sample: Sample, number: UInt32, isRefresh: Bool, captureTime: Int64, sendTime: Int64
    ) -> Data {
        var header: [UInt8] = [1, (sample.isKeyFrame ? 1 : 0) | (isRefresh ? 2 : 0), 0, 24]
        header.reserveCapacity(24)
        header.append(bigEndian: number)
        header.append(bigEndian: captureTime)
        header.append(bigEndian: sendTime)
        return unsafe ServerFrame.binary(header, sample.data)
    }
}
