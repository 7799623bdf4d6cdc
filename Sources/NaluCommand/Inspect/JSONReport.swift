internal import Nalu

/// Everything about a stream as JSON, written element by element, because streams have millions of units.
/// docs/command.md describes the keys.
struct JSONReport {
    private let analysis: StreamAnalysis

    init(_ analysis: StreamAnalysis) {
        self.analysis = analysis
    }

    func write(to output: BufferedOutput) throws(Failure) {
        try member("file", .string(analysis.name), to: output, isFirst: true)
        try member("form", .string(analysis.framing == .annexB ? "annexb" : "length-prefixed"), to: output)
        try member("lengthSize", lengthSize, to: output)
        try member("size", .integer(Int64(analysis.byteCount)), to: output)
        if let container = analysis.container { try member("container", container.json, to: output) }
        try member("stream", stream, to: output)
        try member("bitRate", bitRate, to: output)
        try member("pictures", .array(analysis.sizes.map(Self.summary)), to: output)
        try list("groups", analysis.groups, to: output, Self.group)
        try member("unitTypes", .array(analysis.unitCounts.map(Self.unitCount)), to: output)
        try member("parameterSets", .array(analysis.parameterSets.records.map(Self.parameterSet)), to: output)
        try member("sei", .array(analysis.messages.map(Self.messages)), to: output)
        try list("frames", analysis.frames, to: output, Self.frame)
        try list("units", analysis.units, to: output, Self.unit)
        try member("problemCount", .integer(Int64(analysis.problemCount)), to: output)
        try list("problems", analysis.problems, to: output) {
            .object([("offset", .integer(Int64($0.offset))), ("message", .string($0.message))])
        }
        try output.write("\n}\n")
    }

    private func member(
        _ name: String, _ value: JSONValue, to output: BufferedOutput, isFirst: Bool = false
    ) throws(Failure) {
        var text = isFirst ? "{\n  \"\(name)\": " : ",\n  \"\(name)\": "
        value.write(to: &text, indentation: "  ")
        try output.write(text)
    }

    /// Writes an array with one element per line.
    private func list<Element>(
        _ name: String, _ elements: [Element], to output: BufferedOutput, _ json: (Element) -> JSONValue
    ) throws(Failure) {
        try output.write(",\n  \"\(name)\": [")
        for (index, element) in elements.enumerated() {
            var text = index == 0 ? "\n    " : ",\n    "
            json(element).write(to: &text, indentation: "    ")
            try output.write(text)
        }
        try output.write(elements.isEmpty ? "]" : "\n  ]")
    }
}

// MARK: - The stream

extension JSONReport {
    private var lengthSize: JSONValue {
        if case .lengthPrefixed(let size) = analysis.framing { return .integer(Int64(size)) }
        return .null
    }

    private var stream: JSONValue {
        let rate = analysis.rate
        var members: [(String, JSONValue)] = [
            ("format", .string(analysis.codec.name)), ("frames", .integer(Int64(analysis.frames.count))),
            ("accessUnits", .integer(Int64(analysis.accessUnitCount))),
            ("hidden", .integer(Int64(analysis.hiddenCount))),
            ("frameRate", .number(rate.value)), ("frameRateSource", .string(rate.source.rawValue)),
            ("duration", .number(analysis.curve.duration)), ("longestBRun", .integer(Int64(analysis.longestBRun))),
            ("encoder", analysis.encoderText.map { .string($0) } ?? .null),
        ]
        if let description = analysis.description {
            let set = description.picture
            members += [
                ("codec", .string(description.codec)), ("profile", .string(description.profile)),
                ("level", .string(description.level)), ("width", .integer(Int64(set.width))),
                ("height", .integer(Int64(set.height))), ("chroma", .string(StandardNames.chroma(set))),
                ("bitDepth", .integer(Int64(set.lumaBitDepth))), ("interlaced", .bool(!set.frameMbsOnly)),
                ("fullRange", .bool(set.isFullRange)),
                ("color", StandardNames.color(set).map { .string($0) } ?? .null),
                ("reorderDepth", set.reorderDepth.map { .integer(Int64($0)) } ?? .null),
            ]
            if let tier = description.tier { members.append(("tier", .string(tier))) }
            if let count = description.subLayerCount { members.append(("subLayers", .integer(Int64(count)))) }
        }
        return .object(members)
    }

    private var bitRate: JSONValue {
        let curve = analysis.curve
        let windows = curve.windows.map {
            JSONValue.object([
                ("start", .number($0.start)), ("duration", .number($0.duration)), ("bitRate", .number($0.rate)),
            ])
        }
        return .object([
            ("average", .number(curve.average)), ("peak", .number(curve.peak)),
            ("peakStart", .number(curve.peakStart)), ("windows", .array(windows)),
        ])
    }

    private static func summary(_ sizes: SizeSummary) -> JSONValue {
        .object([
            ("type", .string(sizes.kind.rawValue)), ("count", .integer(Int64(sizes.count))),
            ("bytes", .integer(Int64(sizes.bytes))), ("mean", .number(sizes.mean)),
            ("smallest", .integer(Int64(sizes.smallest))), ("largest", .integer(Int64(sizes.largest))),
            ("meanQP", sizes.meanQP.map { .number($0) } ?? .null),
        ])
    }

    private static func group(_ group: GroupRecord) -> JSONValue {
        .object([
            ("firstFrame", .integer(Int64(group.firstFrame))), ("frames", .integer(Int64(group.frameCount))),
            ("bytes", .integer(Int64(group.bytes))), ("closed", .bool(group.isClosed)),
        ])
    }
}

// MARK: - Frames and units

extension JSONReport {
    private static func frame(_ frame: PictureRecord) -> JSONValue {
        func units(_ time: MediaTime) -> JSONValue { time.isNumeric ? .integer(time.value) : .null }
        let times: [(name: String, value: JSONValue)] =
            frame.times.map { times in
                [
                    ("pts", units(times.presentation)), ("dts", units(times.decode)),
                    ("duration", units(times.duration)),
                ]
            } ?? []
        let layer: [(name: String, value: JSONValue)] =
            frame.layer.map { layer in
                [
                    ("unitType", .string(layer.typeName)), ("subLayer", .integer(Int64(layer.temporalID))),
                    ("shown", .bool(layer.isShown)),
                ]
            } ?? []
        return .object(
            [
                ("type", .string(frame.kind.rawValue)), ("key", .bool(frame.isKey)),
                ("reference", .bool(frame.isReference)), ("structure", .string(frame.structure.rawValue)),
                ("offset", .integer(Int64(frame.offset))), ("size", .integer(Int64(frame.size))),
                ("slices", .integer(Int64(frame.sliceCount))), ("qp", frame.qp.map { .number($0) } ?? .null),
                ("frameNumber", frame.frameNumber.map { .integer(Int64($0)) } ?? .null),
                ("pictureOrderCount", .integer(Int64(frame.pictureOrderCount))),
                ("display", .integer(Int64(frame.display))),
                ("recoveryFrames", frame.recoveryCount.map { .integer(Int64($0)) } ?? .null),
            ] + layer + times)
    }

    private static func unit(_ unit: UnitRecord) -> JSONValue {
        let place: [(String, JSONValue)] =
            switch unit.header {
            case .h264(let header): [("refIDC", .integer(Int64(header.referenceIDC)))]
            case .hevc(let header):
                [("layer", .integer(Int64(header.layerID))), ("subLayer", .integer(Int64(header.temporalID)))]
            }
        return .object(
            [
                ("offset", .integer(Int64(unit.offset))), ("prefix", .integer(Int64(unit.prefixSize))),
                ("size", .integer(Int64(unit.size))), ("type", .integer(Int64(unit.header.type))),
                ("name", .string(unit.header.name)),
            ] + place)
    }

    private static func unitCount(_ row: (type: Int, name: String, count: Int, bytes: Int)) -> JSONValue {
        .object([
            ("type", .integer(Int64(row.type))), ("name", .string(row.name)),
            ("count", .integer(Int64(row.count))), ("bytes", .integer(Int64(row.bytes))),
        ])
    }

    private static func parameterSet(_ record: ParameterSetRecord) -> JSONValue {
        .object([
            ("type", .string(record.kind.rawValue)), ("id", record.id.map { .integer(Int64($0)) } ?? .null),
            ("offset", record.offset.map { .integer(Int64($0)) } ?? .null),
            ("size", .integer(Int64(record.bytes.count))),
            ("count", .integer(Int64(record.count))), ("error", record.error.map { .string($0) } ?? .null),
            ("elements", elements(record.elements)),
        ])
    }

    private static func messages(_ summary: SEISummary) -> JSONValue {
        let messages = summary.messages.map { message in
            var members: [(String, JSONValue)] = [
                ("offset", .integer(Int64(message.offset))), ("size", .integer(Int64(message.size))),
                ("elements", elements(message.elements)),
            ]
            if let uuid = message.uuid { members.append(("uuid", .string(uuid))) }
            if let text = message.text { members.append(("text", .string(text))) }
            return JSONValue.object(members)
        }
        return .object([
            ("type", .integer(Int64(summary.type.rawValue))), ("name", .string(summary.type.name)),
            ("count", .integer(Int64(summary.count))), ("bytes", .integer(Int64(summary.bytes))),
            ("messages", .array(messages)),
        ])
    }

    private static func elements(_ elements: [SyntaxElement]) -> JSONValue {
        .array(elements.map { .object([("name", .string($0.name)), ("value", .integer(Int64($0.value)))]) })
    }
}
