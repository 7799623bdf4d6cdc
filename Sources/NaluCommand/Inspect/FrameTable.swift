/// Every frame in a row of text.
struct FrameTable {
    private let analysis: StreamAnalysis
    private let style: TextStyle

    init(_ analysis: StreamAnalysis, style: TextStyle) {
        self.analysis = analysis
        self.style = style
    }

    var text: String {
        let hasFields = analysis.frames.contains { $0.structure != .frame }
        var header = ["frame", "shown", "type", "ref", "key", "byte", "size", "slices", "QP", "frame_num", "POC"]
        if hasFields { header.append("structure") }
        let hasTimes = analysis.frames.contains { $0.times != nil }
        if hasTimes { header += ["pts", "dts"] }
        var table = TextTable(
            header: header,
            rightAligned: hasFields ? [0, 1, 5, 6, 7, 8, 9, 10, 12, 13] : [0, 1, 5, 6, 7, 8, 9, 10, 11, 12])
        for (index, frame) in analysis.frames.enumerated() {
            var row = [
                "\(index)", "\(frame.display)", frame.kind.rawValue, frame.isReference ? "yes" : "no",
                frame.isKey ? "key" : "", "\(frame.offset)", "\(frame.size)", "\(frame.sliceCount)",
                frame.qp.map { NumberText.decimal($0, places: 1) } ?? "", "\(frame.frameNumber)",
                "\(frame.pictureOrderCount)",
            ]
            if hasFields { row.append(frame.structure.rawValue) }
            if hasTimes { row += [FrameTimes.text(frame.times?.presentation), FrameTimes.text(frame.times?.decode)] }
            table.add(row)
        }
        return style.bold("Every frame") + ", in decoding order\n" + table.text.indented
    }
}
