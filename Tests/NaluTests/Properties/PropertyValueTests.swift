import Testing

@testable import Nalu

/// Reading values as another type.
@Suite struct PropertyValueTests {
    @Test func numbersConvertWhereTheyAreExact() {
        #expect(PropertyValue.integer(1).boolValue == true && PropertyValue.integer(0).boolValue == false)
        #expect(PropertyValue.integer(2).boolValue == nil && PropertyValue.double(1).boolValue == nil)
        #expect(PropertyValue.bool(true).integerValue == 1)
        #expect(PropertyValue.double(-3).integerValue == -3 && PropertyValue.double(0.5).integerValue == nil)
        for double in [Double.nan, .infinity, -.infinity, 1e19, -1e19] {
            #expect(PropertyValue.double(double).integerValue == nil)
        }
        #expect(PropertyValue.double(9_223_372_036_854_774_784).integerValue == 9_223_372_036_854_774_784)
        #expect(PropertyValue.integer(5).doubleValue == 5)
        #expect(PropertyValue.bool(true).doubleValue == nil)
    }

    @Test func stringsAndListsDoNotConvert() {
        #expect(PropertyValue.string("1").integerValue == nil && PropertyValue.string("1").stringValue == "1")
        #expect(PropertyValue.numbers([1]).doubleValue == nil && PropertyValue.numbers([1]).numbersValue == [1])
        #expect(PropertyValue.integer(1).stringValue == nil && PropertyValue.integer(1).numbersValue == nil)
    }

    @Test func valuesHaveReadableText() {
        let texts: [(PropertyValue, String)] = [
            (true, "true"), (-7, "-7"), (0.5, "0.5"), ("CABAC", "CABAC"), ([1, 2.5], "1.0,2.5"), ([], ""),
        ]
        for (value, text) in texts { #expect(value.text == text) }
    }

    @Test func literalsHaveTheirOwnType() {
        #expect(PropertyValue.integer(1) == 1 && PropertyValue.double(1) == 1.0 && PropertyValue.integer(1) != 1.0)
        #expect(PropertyValue.bool(false) == false && PropertyValue.numbers([1]) == [1])
    }
}
