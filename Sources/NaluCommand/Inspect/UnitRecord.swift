/// One NAL unit of the stream.
struct UnitRecord {
    let offset: Int
    let size: Int
    let header: UnitHeader
    let prefixSize: UInt8
}
