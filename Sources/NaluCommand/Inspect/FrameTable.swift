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
        var table = TextTable(header: header, rightAligned: [0, 1, 5, 6, 7, 8, 9, 10])
        for (index, frame) in analysis.frames.enumerated() {
            var row = [
                "\(index)", "\(frame.display)", frame.kind.rawValue, frame.isReference ? "yes" : "no",
                frame.isKey ? "key" : "", "\(frame.offset)", "\(frame.size)", "\(frame.sliceCount)",
                frame.qp.map { NumberText.decimal($0, places: 1) } ?? "", "\(frame.frameNumber)",
                "\(frame.pictureOrderCount)",
            ]
            if hasFields { row.append(frame.structure.rawValue) }
            table.add(row)
        }
        return style.bold("Every frame") + ", in decoding order\n" + table.text.indented
    }
}
