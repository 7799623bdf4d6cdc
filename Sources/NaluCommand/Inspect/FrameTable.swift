/// Every frame in a row of text.
struct FrameTable {
    private let analysis: StreamAnalysis
    private let style: TextStyle

    init(_ analysis: StreamAnalysis, style: TextStyle) {
        self.analysis = analysis
        self.style = style
    }

    var text: String {
        let isH264 = analysis.codec == .h264
        let hasFields = analysis.frames.contains { $0.structure != .frame }
        let hasTimes = analysis.frames.contains { $0.times != nil }
        let places = isH264 ? ["QP", "frame_num", "POC"] : ["POC", "sub-layer"]
        let names = (isH264 ? [] : ["unit"]) + (hasFields ? ["structure"] : [])
        let start = ["frame", "shown", "type", "ref", "key", "byte", "size", "slices"]
        let header = start + places + names + (hasTimes ? ["pts", "dts"] : [])
        let left: Set<String> = ["type", "ref", "key", "unit", "structure"]
        var table = TextTable(
            header: header, rightAligned: Set(header.indices.filter { !left.contains(header[$0]) }))
        for (index, frame) in analysis.frames.enumerated() {
            var row = [
                "\(index)", "\(frame.display)", frame.kind.rawValue, frame.isReference ? "yes" : "no",
                frame.isKey ? "key" : "", "\(frame.offset)", "\(frame.size)", "\(frame.sliceCount)",
            ]
            if isH264 {
                row.append(frame.qp.map { NumberText.decimal($0, places: 1) } ?? "")
                row += ["\(frame.frameNumber ?? 0)", "\(frame.pictureOrderCount)"]
            } else {
                row += ["\(frame.pictureOrderCount)", frame.layer.map { "\($0.temporalID)" } ?? ""]
                row.append(frame.layer?.typeName ?? "")
            }
            if hasFields { row.append(frame.structure.rawValue) }
            if hasTimes { row += [FrameTimes.text(frame.times?.presentation), FrameTimes.text(frame.times?.decode)] }
            table.add(row)
        }
        return style.bold("Every frame") + ", in decoding order\n" + table.text.indented
    }
}
