import Testing

@testable import Nalu

/// Properties as text: the syntax, errors with their place, and round trips.
@Suite struct PropertyTextTests {
    private static func read(_ text: String) throws(NaluError) -> [PropertyText.Setting] {
        try PropertyText.read([UInt8](text.utf8))
    }

    // MARK: The form

    private static let texts: [(String, [(String, PropertyValue?)])] = [
        ("", []), (" \t\r\n", []),
        ("a=1", [("a", 1)]), (" a = 1 ", [("a", 1)]), ("\na\t=\r1\n,\n_b.c-D = 2", [("a", 1), ("_b.c-D", 2)]),
        ("a=true,b=false,c=unset", [("a", true), ("b", false), ("c", nil)]),
        ("true=true,unset=unset", [("true", true), ("unset", nil)]),
        ("a=True", [("a", "True")]), ("a=nan", [("a", "nan")]), ("a=inf", [("a", "inf")]),
        ("a=H264_High_AutoLevel", [("a", "H264_High_AutoLevel")]), ("a=x-1.2", [("a", "x-1.2")]), ("a=_", [("a", "_")]),
        ("a=0,b=-0,c=007", [("a", 0), ("b", 0), ("c", 7)]),
        ("a=9223372036854775807,b=-9223372036854775808", [("a", .integer(.max)), ("b", .integer(.min))]),
        ("a=1.0,b=-1.5,c=1e3,d=1E+3,e=25e-1", [("a", 1.0), ("b", -1.5), ("c", 1000.0), ("d", 1000.0), ("e", 2.5)]),
        ("a=1e-999", [("a", 0.0)]), ("a=5e-324", [("a", .double(.leastNonzeroMagnitude))]),
        ("a=1.7976931348623157e308", [("a", .double(.greatestFiniteMagnitude))]),
        ("a=[]", [("a", [])]), ("a=[ ]", [("a", [])]), ("a=[1]", [("a", [1])]),
        ("a=[375000,1],b=[ -1 , 2.5e1\n]", [("a", [375_000, 1]), ("b", [-1, 25])]),
        ("a=[99999999999999999999]", [("a", [1e20])]),
        (#"a="""#, [("a", "")]), (#"a="true",b="unset",c="1""#, [("a", "true"), ("b", "unset"), ("c", "1")]),
        (#"a="x=1,y=[2]:z" , b=1"#, [("a", "x=1,y=[2]:z"), ("b", 1)]),
        (#"a="\"\\\"""#, [("a", #""\""#)]), ("a=\" \t\n\"", [("a", " \t\n")]),
        ("a=\"\u{E9}\u{1F600}\"", [("a", "\u{E9}\u{1F600}")]),
    ]

    @Test(arguments: texts)
    func propertyTextIsRead(text: String, settings: [(String, PropertyValue?)]) throws {
        let read = try Self.read(text)
        #expect(read.map { $0.key.rawValue } == settings.map { $0.0 })
        #expect(read.map { $0.value } == settings.map { $0.1 })
    }

    private static let refusals: [(String, Status, Int, String)] = [
        (",", .parameter, 0, "a key"), ("=1", .parameter, 0, "a key"), ("1=1", .parameter, 0, "a key"),
        ("a=1,", .parameter, 4, "a key"), ("a=1,,b=1", .parameter, 4, "a key"), ("\"a\"=1", .parameter, 0, "a key"),
        ("\u{E9}=1", .parameter, 0, "0xc3"), ("a=1\u{0}", .parameter, 3, "0x00"),
        ("a", .parameter, 1, "\"=\" after the key a"), ("a b=1", .parameter, 2, "\"=\" after the key a"),
        ("key:1", .parameter, 3, "\"=\" after the key key"),
        ("a=", .parameter, 2, "the value of a"), ("a= ,b=1", .parameter, 3, "the value of a"),
        ("a==1", .parameter, 2, "the value of a"), ("a=]", .parameter, 2, "the value of a"),
        ("a='x'", .parameter, 2, "the value of a"), ("a=\\", .parameter, 2, "the value of a"),
        ("a=1 2", .parameter, 4, "\",\" or the end"), ("a=1;b=2", .parameter, 3, "\",\" or the end"),
        ("a=b=c", .parameter, 3, "\",\" or the end"), ("a=\"x\"y", .parameter, 5, "\",\" or the end"),
        ("a=[1]]", .parameter, 5, "\",\" or the end"), ("a=film:x", .parameter, 6, "\",\" or the end"),
        ("a=1,b=2, a=3", .parameter, 9, "at byte 0"), ("a=unset,a=unset", .parameter, 8, "once"),
        ("a=\"", .parameter, 3, "closing quote of the string at byte 2"),
        ("a=\"x,b=1", .parameter, 8, "closing quote"), ("a=\"\\\"", .parameter, 5, "closing quote"),
        ("a=\"\\", .parameter, 4, "after the backslash"), ("a=\"\\n\"", .parameter, 4, "after the backslash"),
        ("a=+1", .parameter, 2, "\"+1\""), ("a=.5", .parameter, 2, "\".5\""), ("a=5.", .parameter, 2, "\"5.\""),
        ("a=1e", .parameter, 2, "\"1e\""), ("a=1e+", .parameter, 2, "\"1e+\""), ("a=-", .parameter, 2, "\"-\""),
        ("a=--1", .parameter, 2, "\"--1\""), ("a=0x10", .parameter, 2, "\"0x10\""),
        ("a=1_0", .parameter, 2, "a number"), ("a=1.2.3", .parameter, 2, "a number"),
        ("a=-inf", .parameter, 2, "\"-inf\""), ("a=-nan", .parameter, 2, "a number"),
        ("a=1e5.0", .parameter, 2, "a number"), ("a=420v", .parameter, 2, "\"420v\""),
        ("a=1\u{A0}", .parameter, 3, "0xc2"),
        ("a=9223372036854775808", .outOfRange, 2, "9223372036854775807"),
        ("a=-9223372036854775809", .outOfRange, 2, "-9223372036854775808"),
        ("a=1e309", .outOfRange, 2, "1.7976931348623157e+308"), ("a=-1e309", .outOfRange, 2, "-1e309"),
        ("b=1, a=1e99999999999999999999", .outOfRange, 7, "1e99999999999999999999"),
        ("a=[", .parameter, 3, "list at byte 2"), ("a=[1", .parameter, 4, "\",\" or \"]\""),
        ("a=[1,", .parameter, 5, "a number"), ("a=[1,]", .parameter, 5, "a number"),
        ("a=[,1]", .parameter, 3, "a number"), ("a=[1 2]", .parameter, 5, "\",\" or \"]\""),
        ("a=[x]", .parameter, 3, "a number"), ("a=[nan]", .parameter, 3, "a number"),
        ("a=[[1]]", .parameter, 3, "a number"), ("a=[true]", .parameter, 3, "a number"),
        ("a=[\"1\"]", .parameter, 3, "a number"), ("a=[1,1e999]", .outOfRange, 5, "1e999"),
    ]

    @Test(arguments: refusals)
    func invalidTextIsRefusedWithItsPosition(text: String, status: Status, position: Int, word: String) throws {
        let error = try #require(throws: NaluError.self) { try Self.read(text) }
        #expect(error.status == status)
        #expect(error.message.contains("at byte \(position)"), "\(error.message)")
        #expect(error.message.contains(word), "\(error.message)")
        #expect(error.message.contains("expected"))
    }

    @Test func bytesThatAreNoUTF8AreRefused() throws {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            let text = [UInt8]("a=1,b=\"x".utf8) + bytes + [UInt8]("\"".utf8)
            let error = #expect(throws: NaluError.self) { try PropertyText.read(text) }
            #expect(error?.status == .parameter && error?.message.contains("at byte 6") == true)
        }
    }

    @Test func longTextIsReadOrRefusedWithAMessage() throws {
        let long = String(repeating: "k", count: 1_000_000)
        #expect(try Self.read("a=\"\(long)\"").first?.value == .string(long))
        #expect(try Self.read("a=[" + Array(repeating: "1", count: 1024).joined(separator: ",") + "]").count == 1)
        #expect(try Self.read("a=0." + String(repeating: "3", count: 100_000)).first?.value == .double(1.0 / 3))
        let many = Array(repeating: "1", count: 1025).joined(separator: ",")
        for (text, status) in [
            (long, Status.parameter), (long + "=", .parameter), ("a=1" + long, .parameter),
            ("a=" + String(repeating: "9", count: 1_000_000), .outOfRange), ("a=[\(many)]", .outOfRange),
            (long + "=1," + long + "=2", .parameter),
        ] {
            let error = try #require(throws: NaluError.self) { try Self.read(text) }
            #expect(error.status == status && error.message.utf8.count < 500)
        }
    }

    // MARK: Writing

    private static let written: [(PropertyValue?, String)] = [
        (nil, "unset"), (true, "true"), (false, "false"), (-7, "-7"), (.integer(.min), "-9223372036854775808"),
        (30.0, "30.0"), (0.1, "0.1"), (.double(-0.0), "-0.0"), ([], "[]"), ([375_000, 0.5, -0.0], "[375000,0.5,-0.0]"),
        ([1e20], "[1e+20]"), ("CABAC", "CABAC"), ("", #""""#), ("true", #""true""#), ("unset", #""unset""#),
        ("1", #""1""#), ("a,b", #""a,b""#), (#"q"\"#, #""q\"\\""#), ("-x", #""-x""#), ("\u{E9}", "\"\u{E9}\""),
    ]

    @Test(arguments: written)
    func valuesAreWrittenAsText(value: PropertyValue?, text: String) throws {
        let written = PropertyText.write([("a", value), ("b", 1)])
        #expect(written == "a=\(text),b=1")
        #expect(try Self.read(written).first?.value == value)
    }

    @Test func everyDoubleSurvivesTextBitForBit() throws {
        var random = TestRandom(seed: 37)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let settings = try Self.read(PropertyText.write([("a", .double(number)), ("b", .numbers([number]))]))
            #expect(settings[0].value?.doubleValue?.bitPattern == number.bitPattern)
            #expect(settings[1].value?.numbersValue?.first?.bitPattern == number.bitPattern)
        }
    }

    @Test func everyStringSurvivesText() throws {
        var random = TestRandom(seed: 38)
        let alphabet: [Unicode.Scalar] = [
            "\"", "\\", ",", "=", "[", "]", " ", "\n", "\0", "a", "1", "-", "\u{301}", "\u{1F600}",
        ]
        for _ in 0..<5000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                if let scalar = alphabet.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
            }
            let settings = try Self.read(PropertyText.write([("a", .string(text)), ("b", 1)]))
            // The bytes are compared, because equal Strings can have different normalizations.
            #expect(settings.first?.value?.stringValue.map { Array($0.utf8) } == Array(text.utf8))
            #expect(settings.count == 2)
        }
    }

    // MARK: Hostile text

    /// Parses a text. A value is written and parsed again; an error must name its place.
    private func survive(_ bytes: [UInt8]) {
        do throws(NaluError) {
            let settings = try PropertyText.read(bytes)
            let again = try PropertyText.read([UInt8](PropertyText.write(settings).utf8))
            #expect(again.elementsEqual(settings, by: ==))
        } catch {
            #expect(error.status == .parameter || error.status == .outOfRange)
            #expect(error.message.contains("at byte"))
        }
    }

    private static let model =
        #"AverageBitRate = 2000000, Q=2.5e-1,R=[375000, 1.5e+3],T=true,x264.params="qpmin=10:a\"\\é",U=unset,P=H264"#

    @Test func everyTruncationAndEveryChangedByteIsSurvived() {
        let bytes = [UInt8](Self.model.utf8)
        for length in 0...bytes.count {
            survive(Array(bytes[..<length]))
            survive(Array(bytes[length...]))
        }
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                survive(changed)
            }
        }
    }

    @Test func randomBytesAreSurvived() {
        var random = TestRandom(seed: 39)
        let alphabet = [UInt8]("aE_.-+0159=,\"\\[] \n\u{E9}".utf8) + [0, 0xFF]
        for round in 0..<40_000 {
            let count = Int.random(in: 0...24, using: &random)
            survive(
                (0..<count).map { _ in
                    round.isMultiple(of: 4)
                        ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
                })
        }
    }
}
