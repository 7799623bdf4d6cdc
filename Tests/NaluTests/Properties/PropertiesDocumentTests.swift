import Testing

@testable import Nalu

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// docs/properties.md equals the text from the catalogue.
@Suite struct PropertiesDocumentTests {
    private static let path =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        + "/docs/properties.md"

    /// With NALU_WRITE_PROPERTIES_DOC in the environment the test writes the document first: see
    /// scripts/generate_properties_doc.
    @Test func thePropertiesDocumentIsGeneratedFromTheCatalogue() throws {
        let expected = PropertiesDocument.text
        if getenv("NALU_WRITE_PROPERTIES_DOC") != nil {
            try Self.write(expected)
        }
        let lines = try Self.read().split(separator: "\n", omittingEmptySubsequences: false)
        let expectedLines = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let stale = zip(lines, expectedLines).first { $0 != $1 }.map { "it has \"\($0)\", expected \"\($1)\"" }
        #expect(
            lines == expectedLines,
            "docs/properties.md is stale: run scripts/generate_properties_doc; \(stale ?? "one is longer")")
    }

    private static func read() throws -> String {
        let file = try #require(fopen(path, "r"), "cannot open \(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String) throws {
        let file = try #require(fopen(path, "w"), "cannot write \(path)")
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        #expect(fclose(file) == 0 && written == bytes.count)
    }
}
