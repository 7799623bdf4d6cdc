internal import Nalu
internal import NaluMedia

extension CaptureVideoFormat {
    /// The encoder's settings for the colours of the pictures.
    var signal: [(key: PropertyKey, value: PropertyValue?)] {
        SourceSettings.signal(primaries: nil, transfer: nil, matrix: yCbCrMatrix, chromaLocation: nil)
    }
}

/// The encoder's settings of a capture: those of the client, and defaults for live video.
struct CaptureSettings {
    private let asked: [(key: PropertyKey, value: PropertyValue?)]
    private let isLive: Bool
    private let names: Set<PropertyKey>

    /// The seconds between key frames that an address receives: viewers that join wait for a key frame.
    private static let keyFrameInterval = 2.0
    /// The bit rate for an address: 2.8 Mb/s for 1280x720 at 30 frames per second.
    private static let bitsPerPixel = 0.1
    /// The properties that choose the rate or the quality.
    private static let rateProperties: Set<PropertyKey> = [
        .averageBitRate, .constantBitRate, .variableBitRate, .quality, .constantQualityFactor, .x264Params,
    ]

    /// - Parameters:
    ///   - asked: the client's settings.
    ///   - isLive: whether the samples are sent to an address.
    init(_ asked: [(key: PropertyKey, value: PropertyValue?)], isLive: Bool) {
        self.asked = asked
        self.isLive = isLive
        names = SourceSettings.overridden(by: asked)
    }

    private var choosesRate: Bool { names.isDisjoint(with: Self.rateProperties) }

    /// Whether the session has a bit rate that can follow the link.
    var hasRate: Bool { choosesRate || asked.contains { $0.key == .averageBitRate && $0.value != nil } }

    /// Returns the settings in the order in which the session must receive them.
    func settings(
        for format: CaptureVideoFormat, _ rate: RationalFrameRate
    ) -> [(key: PropertyKey, value: PropertyValue?)] {
        var live: [(key: PropertyKey, value: PropertyValue?)] = [
            (.realTime, true), (.expectedFrameRate, .double(rate.perSecond)),
        ]
        live += format.signal
        if isLive {
            live.append((.maxKeyFrameIntervalDuration, .double(Self.keyFrameInterval)))
            if choosesRate {
                let pixels = Double(format.widths.lowerBound * format.heights.lowerBound)
                let bits = max(100_000, pixels * rate.perSecond * Self.bitsPerPixel)
                live.append((.averageBitRate, .integer(Int64(bits))))
            }
        }
        return live.filter { !names.contains($0.key) } + asked
    }
}
