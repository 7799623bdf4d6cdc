internal import Nalu

/// One NAL unit of the stream.
struct UnitRecord {
    let offset: Int
    let size: Int
    let header: NALUnitHeader
    let prefixSize: UInt8
}
