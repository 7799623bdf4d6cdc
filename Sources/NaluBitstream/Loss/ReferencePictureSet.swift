/// The reference picture set of a picture, by picture order counts (ITU-T H.265 8.3.2).
struct ReferencePictureSet {
    /// The picture order count of the picture itself.
    let order: Int
    private let shortTerm: HEVCShortTermReferences
    private let longTerm: HEVCLongTermReferences
    /// `MaxPicOrderCntLsb`, a power of two.
    private let lsbCount: Int

    init(of slice: HEVCSliceHeader, order: Int, lsbCount: Int) {
        self.order = order
        self.lsbCount = lsbCount
        shortTerm = slice.shortTermReferences
        longTerm = slice.longTermReferences
    }

    /// Whether the picture of that order is in the set.
    func names(_ other: Int) -> Bool {
        shortTerm.contains { order + $0.distance == other } || longTerm.contains { isPicture($0, other) }
    }

    /// Whether the picture can refer to a picture that is not among `held`.
    func usesOther(than held: [Int]) -> Bool {
        shortTerm.contains { $0.isUsed && !held.contains(order + $0.distance) }
            || longTerm.contains { picture in picture.isUsed && !held.contains { isPicture(picture, $0) } }
    }

    /// Adds the pictures of the set that `held` does not contain.
    func addAll(to held: inout [Int]) {
        for picture in shortTerm where !held.contains(order + picture.distance) {
            held.append(order + picture.distance)
        }
        for picture in longTerm where !held.contains(where: { isPicture(picture, $0) }) {
            held.append(latestOrder(of: picture))
        }
    }

    private func isPicture(_ picture: HEVCLongTermReferences.Picture, _ other: Int) -> Bool {
        picture.cycle == nil ? other & (lsbCount - 1) == picture.orderLSB : other == latestOrder(of: picture)
    }

    /// Returns the order of the picture. If only its low bits are given, it is the latest order up to the current one.
    private func latestOrder(of picture: HEVCLongTermReferences.Picture) -> Int {
        let cycleStart = order - order & (lsbCount - 1)
        if let cycle = picture.cycle { return cycleStart - cycle * lsbCount + picture.orderLSB }
        return cycleStart + picture.orderLSB - (cycleStart + picture.orderLSB > order ? lsbCount : 0)
    }
}
