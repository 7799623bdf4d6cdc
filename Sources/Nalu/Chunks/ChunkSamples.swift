/// The samples of a chunk as bytes.
enum ChunkSamples {
    /// Returns samples of one format as bytes.
    static func bytes(of samples: [Sample]) -> [UInt8] {
        var writer = ByteWriter()
        let record = samples.first?.formatDescription.avcCBytes ?? []
        writer.append(UInt32(clamping: record.count))
        writer.bytes += record
        for sample in samples {
            for time in [sample.presentationTime, sample.duration, sample.decodeTime] { writer.append(time) }
            writer.append(sample.attachments.rawValue)
            let data = unsafe sample.data
            writer.append(UInt32(clamping: data.count))
            unsafe writer.bytes.append(contentsOf: data)
        }
        return writer.bytes
    }

    /// Returns the samples of ``bytes(of:)``.
    static func samples(of bytes: [UInt8]) throws(NaluError) -> [Sample] {
        let corrupt = NaluError(.badData, "the samples of a chunk are corrupt; expected those of a result")
        var cursor = ByteCursor(bytes[...])
        guard let size: UInt32 = cursor.integer(), let record = cursor.take(Int(size)) else { throw corrupt }
        let format = try FormatDescription(avcC: Array(record))
        var samples: [Sample] = []
        while !cursor.rest.isEmpty {
            guard let presentation = cursor.time(), let duration = cursor.time(), let decode = cursor.time(),
                let attachments: UInt32 = cursor.integer(), let size: UInt32 = cursor.integer(),
                let data = cursor.take(Int(size))
            else { throw corrupt }
            samples.append(
                try Sample(
                    copying: Array(data), formatDescription: format, presentationTime: presentation,
                    duration: duration, decodeTime: decode, attachments: SampleAttachments(rawValue: attachments)))
        }
        return samples
    }
}
