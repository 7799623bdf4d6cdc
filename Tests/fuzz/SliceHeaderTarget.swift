/// Slice headers: a stream of parameter sets and slices, split at start codes. A header parsed from its first bytes
/// equals the one parsed from all bytes. Its values are in their ranges, and a picture order count can be computed for
/// each slice.
func fuzzSliceHeader(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let stream = unsafe Fuzzing.input(data, size)
    var sequence: SequenceParameterSet?
    var picture: PictureParameterSet?
    var previous: SliceHeader?
    var counter = PictureOrderCounter()
    var offset = 0
    while let unit = unsafe (try? AnnexB.next(in: stream, offset: &offset)) ?? nil {
        if let set = unsafe try? SequenceParameterSet(parsing: unit) { sequence = set }
        if let set = unsafe try? PictureParameterSet(parsing: unit) { picture = set }
        unsafe checkElements(unit)
        guard let sequence, let picture, let start = unsafe try? SliceStart(parsing: unit) else { continue }
        Fuzzing.require((0...255).contains(start.pictureParameterSetID), "the number of the set is in its range")
        do throws(NaluError) {
            let header = unsafe try SliceHeader(
                parsing: unit, pictureParameterSet: picture, sequenceParameterSet: sequence)
            Fuzzing.require(header.start == start, "the start is the same alone")
            Fuzzing.require((-123...138).contains(header.qp), "the QP is in its range")
            Fuzzing.require(header.frameNumber < 1 << sequence.frameNumberBits, "the frame number is in its range")
            _ = counter.count(of: header, in: sequence)
            let type = sequence.picOrderCountType
            Fuzzing.require(
                !PictureBoundary.lies(between: header, and: header, picOrderCountType: type), "one slice is one picture"
            )
            if let previous {
                let there = PictureBoundary.lies(between: previous, and: header, picOrderCountType: type)
                let back = PictureBoundary.lies(between: header, and: previous, picOrderCountType: type)
                Fuzzing.require(there == back, "a boundary is one from both sides")
            }
            previous = header
        } catch {
            Fuzzing.require(error.status == .badData && !error.message.isEmpty, "damaged data are bad data")
        }
    }
    return 0
}

private func checkElements(_ unit: UnsafeRawBufferPointer) {
    let (elements, error) = unsafe SequenceParameterSet.elements(of: unit)
    let isSound = unsafe (try? SequenceParameterSet(parsing: unit)) != nil
    Fuzzing.require((error == nil) == isSound, "the elements of a sound set, and of no other, are all there")
    Fuzzing.require(error != nil || !elements.isEmpty, "a sound set has elements")
    for format in 0...3 {
        let (elements, error) = unsafe PictureParameterSet.elements(of: unit, chromaFormatIDC: format)
        let isSound = unsafe (try? PictureParameterSet(parsing: unit)) != nil
        Fuzzing.require(error != nil || (isSound && !elements.isEmpty), "all elements make a sound set")
    }
}
