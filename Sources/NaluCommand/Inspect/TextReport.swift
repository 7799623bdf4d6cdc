internal import Nalu

/// The inspection of a stream as text for a terminal of 80 columns.
struct TextReport {
    private let analysis: StreamAnalysis
    private let style: TextStyle

    init(_ analysis: StreamAnalysis, style: TextStyle) {
        self.analysis = analysis
        self.style = style
    }

    /// Returns the report without a line break at the end.
    func text(frames: Bool, units: Bool, parameterSets: Bool) -> String {
        var parts = [summary]
        if !analysis.sizes.isEmpty { parts.append(pictures) }
        if !analysis.groups.isEmpty { parts.append(groups) }
        if analysis.curve.windows.count > 1 { parts.append(rates) }
        parts.append(unitTypes)
        if !analysis.parameterSets.records.isEmpty { parts.append(parameterSets ? fullSets : sets) }
        if !analysis.messages.isEmpty { parts.append(messages) }
        if frames, !analysis.frames.isEmpty { parts.append(FrameTable(analysis, style: style).text) }
        if units { parts.append(unitList) }
        if analysis.problemCount > 0 { parts.append(problems) }
        return parts.joined(separator: "\n\n")
    }

    private var summary: String {
        let title = "\(style.bold(analysis.name))  \(analysis.container?.name ?? analysis.framing.name)"
        let rows = StreamFacts.rows(analysis).map { row in
            let value = row.name == "encoder" ? StreamFacts.encoderName(row.value) : row.value
            return "  " + row.name.padded(to: 8) + "  " + value.wrapped(to: style.width - 12, indentation: 12)
        }
        return ([title] + rows).joined(separator: "\n")
    }

    private func section(_ title: String, _ table: TextTable) -> String {
        style.bold(title) + "\n" + table.text.indented
    }

    private var pictures: String {
        let hasQP = analysis.sizes.contains { $0.meanQP != nil }
        let header = ["type", "frames", "bytes", "share", "mean", "smallest", "largest"] + (hasQP ? ["QP"] : [])
        var table = TextTable(header: header, rightAligned: Set(1..<header.count))
        let total = analysis.sizes.reduce(0) { $0 + $1.bytes }
        for row in analysis.sizes {
            let cells = [
                row.kind.rawValue, "\(row.count)", QuantityFormat.bytes(row.bytes),
                QuantityFormat.share(row.bytes, of: total),
                QuantityFormat.bytes(Int(row.mean)), QuantityFormat.bytes(row.smallest),
                QuantityFormat.bytes(row.largest),
            ]
            let qp = row.meanQP.map { NumberText.decimal($0, places: 1) } ?? ""
            table.add(cells + (hasQP ? [qp] : []))
        }
        return section("Pictures", table)
    }

    private var unitTypes: String {
        var table = TextTable(header: ["type", "kind", "units", "bytes"], rightAligned: [0, 2, 3])
        for row in analysis.unitCounts {
            table.add([
                "\(row.type)", row.name, "\(row.count)", QuantityFormat.bytes(row.bytes),
            ])
        }
        return section("NAL units", table)
    }

    private var messages: String {
        var table = TextTable(header: ["type", "message", "times", "bytes", "first"], rightAligned: [0, 2, 3])
        let names = analysis.messages.map(\.type.name.count).max() ?? 0
        let sizes = analysis.messages.map { QuantityFormat.bytes($0.bytes).count }.max() ?? 0
        let room = style.width - 19 - max(7, names) - max(5, sizes)
        for row in analysis.messages {
            let first = row.messages.first
            let content = first?.text.map(StreamFacts.encoderName) ?? ElementRows.line(first?.elements ?? [])
            table.add([
                "\(row.type.rawValue)", row.type.name, "\(row.count)", QuantityFormat.bytes(row.bytes),
                content.shortened(to: max(12, room)),
            ])
        }
        return section("SEI messages", table)
    }

    private var unitList: String {
        let place = analysis.codec == .h264 ? ["ref_idc"] : ["layer", "sub-layer"]
        var table = TextTable(
            header: ["byte", "size", "prefix", "type"] + place + ["kind"], rightAligned: Set(0..<4 + place.count))
        for unit in analysis.units {
            let place: [String] =
                switch unit.header {
                case .h264(let header): ["\(header.referenceIDC)"]
                case .hevc(let header): ["\(header.layerID)", "\(header.temporalID)"]
                }
            table.add(
                ["\(unit.offset)", "\(unit.size)", "\(unit.prefixSize)", "\(unit.header.type)"] + place
                    + [unit.header.name])
        }
        return section("Every NAL unit", table)
    }

    private var problems: String {
        let all = StreamProblem.lines(analysis.problems)
        var lines = all.prefix(20).map { "  \($0)".wrapped(to: style.width, indentation: 4) }
        let rest = analysis.problemCount - analysis.problems.count
        if all.count > lines.count || rest > 0 { lines.append("  and others") }
        let title = NumberText.count(analysis.problemCount, "problem")
        return style.warning(style.bold(title)) + "\n" + lines.joined(separator: "\n")
    }
}

// MARK: - Over time

extension TextReport {
    /// The first groups as strips of letters, in decode order.
    private var groups: String {
        let shown = analysis.groups.prefix(6)
        var lines = [style.bold("Groups of pictures") + ", in decoding order"]
        let width = "\(shown.last?.firstFrame ?? 0)".count
        for group in shown {
            let place = "\(group.firstFrame)".leftPadded(to: width)
            let room = max(8, style.width - 2 - width - 2 - 16)
            let frames = analysis.frames[group.firstFrame..<group.firstFrame + min(group.frameCount, room)]
            var strip = ""
            for frame in frames {
                strip += style.picture(frame.kind, String(frame.letter))
            }
            let rest = group.frameCount - frames.count
            lines.append(
                "  \(style.faint(place))  \(strip)\(rest > 0 ? style.faint(" +\(rest)") : "")"
                    + style.faint("  \(QuantityFormat.bytes(group.bytes))"))
        }
        if analysis.groups.count > shown.count {
            lines.append("  and \(analysis.groups.count - shown.count) more")
        }
        let access = analysis.sizes.contains { $0.kind == .cra || $0.kind == .bla } ? "   C CRA   L BLA" : ""
        lines.append(style.faint("  I IDR\(access)   i other intra   P   B reference   b other B"))
        return lines.joined(separator: "\n")
    }

    /// A bar for every second, or for several seconds if the stream is long.
    private var rates: String {
        let windows = analysis.curve.windows
        let step = (windows.count + 19) / 20
        var rows: [(start: Double, rate: Double)] = []
        for first in stride(from: 0, to: windows.count, by: step) {
            let part = windows[first..<min(windows.count, first + step)]
            let seconds = part.reduce(0) { $0 + $1.duration }
            rows.append((part[first].start, Double(part.reduce(0) { $0 + $1.bits }) / seconds))
        }
        let top = rows.map(\.rate).max() ?? 1
        let places = rows.map { NumberText.clock($0.start) }
        let width = places.map(\.count).max() ?? 0
        let numbers = rows.map { QuantityFormat.bitRate($0.rate) }
        let numberWidth = numbers.map(\.count).max() ?? 0
        let room = max(10, min(60, style.width - width - numberWidth - 8))
        let lines = rows.indices.map { index in
            let bar = Self.bar(rows[index].rate / max(1, top), room)
            return "  \(places[index].leftPadded(to: width))  \(numbers[index].leftPadded(to: numberWidth))  \(bar)"
        }
        return style.bold("Bit rate") + (step == 1 ? ", every second" : ", every \(step) seconds") + "\n"
            + lines.joined(separator: "\n")
    }

    /// Returns a bar with a resolution of an eighth of a column.
    private static func bar(_ share: Double, _ columns: Int) -> String {
        let eighths = Int((share * Double(columns * 8)).rounded())
        let rest = eighths % 8
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[rest]
    }
}

// MARK: - Parameter sets

extension TextReport {
    private var sets: String {
        var table = TextTable(header: ["set", "id", "byte", "size", "times", "state"], rightAligned: [1, 2, 3, 4])
        for record in analysis.parameterSets.records {
            table.add([
                record.kind.rawValue, record.id.map { "\($0)" } ?? "?", record.offset.map { "\($0)" } ?? "outside",
                QuantityFormat.bytes(record.bytes.count), "\(record.count)", record.error == nil ? "valid" : "corrupt",
            ])
        }
        return section("Parameter sets", table) + "\n" + style.faint("  --parameter-sets lists every field") + omitted
    }

    private var fullSets: String {
        analysis.parameterSets.records.map { record in
            let place = record.offset.map { "byte \($0)" } ?? "outside the stream"
            let title = "\(record.kind.rawValue) \(record.id.map { "\($0)" } ?? "?")"
            var lines = [style.bold(title) + " at \(place), \(record.bytes.count) bytes, \(record.count) times"]
            let rows = ElementRows.rows(record.elements)
            let width = rows.map(\.name.count).max() ?? 0
            for row in rows {
                lines.append(
                    "  \(row.name.padded(to: width))  "
                        + row.value.wrapped(to: max(10, style.width - width - 4), indentation: width + 4))
            }
            if let error = record.error { lines.append("  " + style.warning(error)) }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n\n") + omitted
    }

    private var omitted: String {
        let count = analysis.parameterSets.omittedCount
        return count == 0 ? "" : "\n  and \(NumberText.count(count, "other set"))"
    }
}

/// A table with one row per frame.
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
