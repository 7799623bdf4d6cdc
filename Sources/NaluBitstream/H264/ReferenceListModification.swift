/// `ref_pic_list_modification` of one list (ITU-T H.264 7.3.3.1).
package struct ReferenceListModification: Sendable {
    /// One operation: `modification_of_pic_nums_idc` 0 to 2, and its value.
    package struct Operation: Sendable {
        package var idc: UInt8 = 0
        /// `abs_diff_pic_num_minus1`, or `long_term_pic_num` for an `idc` of 2.
        package var value: UInt32 = 0
    }

    /// `ref_pic_list_modification_flag`.
    package private(set) var isPresent = false
    package private(set) var count = 0
    private var operations = InlineArray<32, Operation>(repeating: Operation())

    package init() {}

    package subscript(index: Int) -> Operation { operations[index] }

    /// Reads the modification. Throws `.badData` for more than 32 operations, the most entries of a list.
    init(in reader: inout BitReader) throws(NaluError) {
        isPresent = try reader.flag("ref_pic_list_modification_flag")
        guard isPresent else { return }
        while true {
            let idc = try reader.unsigned("modification_of_pic_nums_idc", 0...3)
            if idc == 3 { return }
            guard count < 32 else {
                throw NaluError(
                    .badData, "a reference list has more than 32 modifications; expected at most one an entry")
            }
            let value = try reader.unsigned(
                "abs_diff_pic_num_minus1 or long_term_pic_num", BitReader.anyUnsigned)
            operations[count] = Operation(idc: UInt8(idc), value: UInt32(value))
            count += 1
        }
    }

    func write<Sink: BitSink>(to sink: inout Sink) {
        sink.append(isPresent)
        guard isPresent else { return }
        for index in 0..<count {
            sink.append(unsigned: UInt32(operations[index].idc))
            sink.append(unsigned: operations[index].value)
        }
        sink.append(unsigned: 3)
    }

    /// Removes the modification if it only moves the newest picture to the front, where it is anyway.
    package mutating func removeIfNeedless() {
        if count == 1, operations[0].idc == 0, operations[0].value == 0 { self = ReferenceListModification() }
    }

    /// Rewrites the operations for another numbering, so that they name the same pictures. `old` and `new` are
    /// MaxPicNum (7.4.3) before and after. `distance` maps a picture's distance before the current one from the old to
    /// the new numbering, in picture numbers.
    mutating func renumber(from old: Int, to new: Int, distance: (Int) throws(NaluError) -> Int) throws(NaluError) {
        // The distances of the previous entry's picture in both numberings (8.2.4.3.1).
        var before = (old: 0, new: 0)
        for index in 0..<count where operations[index].idc < 2 {
            let step = Int(operations[index].value) + 1
            let place = before.old + (operations[index].idc == 0 ? step : -step)
            before.old = ((place % old) + old) % old
            let now = try distance(before.old)
            let change = now - before.new
            before.new = now
            // A change of 0 is coded as one full cycle of picture numbers.
            let length = change == 0 ? new : abs(change)
            operations[index] = Operation(idc: change < 0 ? 1 : 0, value: UInt32(clamping: length - 1))
        }
    }
}
