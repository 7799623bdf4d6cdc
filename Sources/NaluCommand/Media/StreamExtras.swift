internal import Nalu
private import NaluBitstream
internal import NaluMedia

/// The data in a track's samples beside the pictures: metadata that an encoder can write, and data that gets lost.
struct StreamExtras: Equatable {
    /// Data that encoding does not keep.
    enum Extra: String, CaseIterable {
        case captions = "closed captions"
        case dynamicMetadata = "HDR10+ metadata"
        case dolbyVision = "Dolby Vision metadata"
        case filmGrain = "film grain parameters"
        case framePacking = "the frame packing arrangement"
        case orientation = "the orientation in the stream"
        case alternativeTransfer = "the alternative transfer characteristics"
        case layers = "further layers or views"
    }

    /// The numbers of the property `MasteringDisplayColorVolume`; nil if the stream has no mastering display.
    private(set) var masteringDisplay: [Double]?
    /// The numbers of the property `ContentLightLevelInfo`; nil if the stream has no content light level.
    private(set) var contentLight: [Double]?
    private(set) var found: Set<Extra> = []

    /// The kinds of side data that the stream carries itself, so that the container need not.
    var inStream: Set<TrackSideData.Kind> {
        var kinds: Set<TrackSideData.Kind> = []
        if masteringDisplay != nil { kinds.insert(.masteringDisplay) }
        if contentLight != nil { kinds.insert(.contentLight) }
        return kinds
    }

    mutating func look(at sample: Sample) {
        let isHEVC = sample.formatDescription.codec == FormatDescription.hevc
        var offset = 0
        while let unit = unsafe sample.nextNALUnit(offset: &offset) {
            unsafe isHEVC ? look(atHEVC: unit) : look(atH264: unit)
        }
    }

    private mutating func look(atH264 unit: UnsafeRawBufferPointer) {
        guard let header = unsafe unit.first else { return }
        switch header & 31 {
        case 6: for message in unsafe SEIMessage.messages(of: unit) { take(message) }
        // Type 20 holds slices of another view (ITU-T H.264 annex H); types 28 and 30 hold Dolby Vision.
        case 20: found.insert(.layers)
        case 28, 30: found.insert(.dolbyVision)
        default: break
        }
    }

    private mutating func look(atHEVC unit: UnsafeRawBufferPointer) {
        guard unit.count >= 2 else { return }
        let layer = unsafe (unit[0] & 1) << 5 | unit[1] >> 3
        switch unsafe unit[0] >> 1 & 63 {
        case 62, 63: found.insert(.dolbyVision)
        case _ where layer > 0: found.insert(.layers)
        case 39, 40: for message in unsafe SEIMessage.hevcMessages(of: [UInt8](unit)) { take(message) }
        default: break
        }
    }

    private mutating func take(_ message: SEIMessage) {
        let bytes = message.payload
        switch message.type.rawValue {
        case 4 where bytes.starts(with: [0xB5, 0x00, 0x31]) && bytes.dropFirst(3).starts(with: Array("GA94".utf8)):
            // user_data_type_code 3 of ATSC A/53 part 4 means captions.
            if bytes.dropFirst(7).first == 3 { found.insert(.captions) }
        case 4 where bytes.starts(with: [0xB5, 0x00, 0x3C, 0x00, 0x01]): found.insert(.dynamicMetadata)
        case 19: found.insert(.filmGrain)
        case 45: found.insert(.framePacking)
        case 47 where bytes.first.map({ $0 & 0x80 == 0 }) == true: found.insert(.orientation)
        case 137 where bytes.count >= 24:
            masteringDisplay = numbers(bytes, sizes: [2, 2, 2, 2, 2, 2, 2, 2, 4, 4])
        case 144 where bytes.count >= 4: contentLight = numbers(bytes, sizes: [2, 2])
        case 147: found.insert(.alternativeTransfer)
        default: break
        }
    }

    /// Returns big-endian numbers with these sizes in bytes.
    private func numbers(_ bytes: [UInt8], sizes: [Int]) -> [Double] {
        var rest = bytes[...]
        return sizes.map { size in
            defer { rest = rest.dropFirst(size) }
            return Double(rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
