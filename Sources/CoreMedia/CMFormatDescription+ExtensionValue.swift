public import CoreFoundationTypes
public import Foundation

extension CMFormatDescription.Extensions {
    /// An extension: a property list. Values with equal property lists are equal; `true` is equal to 1, as for `NSNumber`.
    public struct Value: Hashable {
        public var propertyListRepresentation: CFPropertyList

        public init(_ plist: CFPropertyList) { propertyListRepresentation = plist }

        public static func == (left: Value, right: Value) -> Bool { left.object.isEqual(right.object) }
        public func hash(into hasher: inout Hasher) { hasher.combine(object.hash) }

        private var object: NSObject { view(native(propertyListRepresentation)) }
    }
}

extension CMFormatDescription.Extensions.Value {
    /// A number. Types that Foundation does not convert to `NSNumber` become 64-bit integers or doubles.
    public static func number<T: Numeric>(_ value: T) -> Self { Self(object(value)) }

    public static func string(_ value: String) -> Self { Self(value as NSString) }
    public static func string(_ value: CFString) -> Self { Self(value) }

    /// The part of the picture that is displayed, in pixels. The offsets are from the centre of the picture.
    public static func cleanAperture<Width: Numeric, Height: Numeric, Horizontal: Numeric, Vertical: Numeric>(
        width: Width, height: Height, horizontalOffet: Horizontal, verticalOffset: Vertical
    ) -> Self {
        dictionary([
            (kCMFormatDescriptionKey_CleanApertureWidth, object(width)),
            (kCMFormatDescriptionKey_CleanApertureHeight, object(height)),
            (kCMFormatDescriptionKey_CleanApertureHorizontalOffset, object(horizontalOffet)),
            (kCMFormatDescriptionKey_CleanApertureVerticalOffset, object(verticalOffset)),
        ])
    }

    /// The same with fractions.
    public static func cleanAperture(
        width: (numerator: Int, denominator: Int), height: (numerator: Int, denominator: Int),
        horizontalOffet: (numerator: Int, denominator: Int), verticalOffset: (numerator: Int, denominator: Int)
    ) -> Self {
        dictionary([
            (kCMFormatDescriptionKey_CleanApertureWidthRational, fraction(width)),
            (kCMFormatDescriptionKey_CleanApertureHeightRational, fraction(height)),
            (kCMFormatDescriptionKey_CleanApertureHorizontalOffsetRational, fraction(horizontalOffet)),
            (kCMFormatDescriptionKey_CleanApertureVerticalOffsetRational, fraction(verticalOffset)),
        ])
    }

    /// The width of a pixel in relation to its height.
    public static func pixelAspectRatio<Horizontal: Numeric, Vertical: Numeric>(
        horizontalSpacing: Horizontal, verticalSpacing: Vertical
    ) -> Self {
        dictionary([
            (kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, object(horizontalSpacing)),
            (kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing, object(verticalSpacing)),
        ])
    }

    private static func object<T: Numeric>(_ value: T) -> NSNumber {
        switch value {
        case let number as NSNumber: number
        case let integer as any BinaryInteger: NSNumber(value: Int64(clamping: integer))
        case let real as any BinaryFloatingPoint: NSNumber(value: Double(real))
        default: NSNumber(value: Double("\(value)") ?? .nan)
        }
    }

    private static func fraction(_ value: (numerator: Int, denominator: Int)) -> NSArray {
        [value.numerator, value.denominator] as NSArray
    }

    private static func dictionary(_ pairs: [(CFString, NSObject)]) -> Self {
        let dictionary = NSMutableDictionary()
        for (key, value) in pairs { dictionary[key] = value }
        return Self(dictionary)
    }
}
