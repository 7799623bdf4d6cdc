/// `dec_ref_pic_marking` (ITU-T H.264 7.3.3.3).
package struct ReferenceMarking: Sendable {
    /// One operation: `memory_management_control_operation` 1 to 6, and its values.
    package struct Operation: Sendable {
        package var number: UInt8 = 0
        /// `difference_of_pic_nums_minus1`, for the operations 1 and 3.
        package var difference: UInt32 = 0
        /// `long_term_pic_num`, `long_term_frame_idx` or `max_long_term_frame_idx_plus1`, for the operations 2, 3, 4 and 6.
        package var longTerm: UInt32 = 0
    }

    /// `no_output_of_prior_pics_flag` of an IDR picture.
    package var discardsEarlierPictures = false
    /// `long_term_reference_flag` of an IDR picture.
    package var isLongTerm = false
    /// `adaptive_ref_pic_marking_mode_flag` of a non-IDR picture. If false, the oldest reference is removed (sliding
    /// window).
    package private(set) var isAdaptive = false
    package private(set) var count = 0
    private var operations = InlineArray<66, Operation>(repeating: Operation())

    package init() {}

    package subscript(index: Int) -> Operation { operations[index] }

    /// Whether all references are removed (operation 5).
    var resetsReferences: Bool { (0..<count).contains { operations[$0].number == 5 } }

    /// Reads the marking. Throws `.badData` for more than 66 operations, which exceeds the fields and settings that
    /// they can name.
    init(isIDR: Bool, in reader: inout BitReader) throws(NaluError) {
        guard !isIDR else {
            discardsEarlierPictures = try reader.flag("no_output_of_prior_pics_flag")
            isLongTerm = try reader.flag("long_term_reference_flag")
            return
        }
        isAdaptive = try reader.flag("adaptive_ref_pic_marking_mode_flag")
        guard isAdaptive else { return }
        while true {
            var operation = Operation()
            operation.number = UInt8(try reader.unsigned("memory_management_control_operation", 0...6))
            if operation.number == 0 { return }
            guard count < 66 else {
                throw NaluError(.badData, "a slice has more than 66 memory management operations; expected at most 66")
            }
            if operation.number == 1 || operation.number == 3 {
                operation.difference = UInt32(
                    try reader.unsigned("difference_of_pic_nums_minus1", BitReader.anyUnsigned))
            }
            if operation.number != 1, operation.number != 5 {
                operation.longTerm = UInt32(
                    try reader.unsigned("long_term_pic_num, _frame_idx or its maximum", BitReader.anyUnsigned))
            }
            operations[count] = operation
            count += 1
        }
    }

    func write<Sink: BitSink>(isIDR: Bool, to sink: inout Sink) {
        guard !isIDR else {
            sink.append(discardsEarlierPictures)
            sink.append(isLongTerm)
            return
        }
        sink.append(isAdaptive)
        guard isAdaptive else { return }
        for index in 0..<count {
            let operation = operations[index]
            sink.append(unsigned: UInt32(operation.number))
            if operation.number == 1 || operation.number == 3 { sink.append(unsigned: operation.difference) }
            if operation.number != 1, operation.number != 5 { sink.append(unsigned: operation.longTerm) }
        }
        sink.append(unsigned: 0)
    }

    /// Rewrites the operations for another numbering, so that they name the same pictures. See
    /// ``ReferenceListModification/renumber(from:to:distance:)``.
    mutating func renumber(distance: (Int) throws(NaluError) -> Int) throws(NaluError) {
        for index in 0..<count where operations[index].number == 1 || operations[index].number == 3 {
            let now = try distance(Int(operations[index].difference) + 1)
            operations[index].difference = UInt32(clamping: now - 1)
        }
    }
}
