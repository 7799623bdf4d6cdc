/// Properties as text: any bytes give settings or an error, and settings survive writing and parsing.
func fuzzPropertyText(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = unsafe [UInt8](Fuzzing.input(data, size))
    let settings: [PropertyText.Setting]
    do throws(NaluError) {
        settings = try PropertyText.read(bytes)
    } catch {
        Fuzzing.require(error.status == .parameter || error.status == .outOfRange, "the status is promised")
        Fuzzing.require(error.message.contains("at byte") && error.message.utf8.count < 1000, "the sentence is one")
        return 0
    }
    Fuzzing.require(Set(settings.map { $0.key }).count == settings.count, "a key comes once")
    let text = PropertyText.write(settings)
    guard let again = try? PropertyText.read([UInt8](text.utf8)) else {
        fatalError("what was written cannot be read")
    }
    Fuzzing.require(again.elementsEqual(settings, by: ==), "the settings come back")
    Fuzzing.require(PropertyText.write(again) == text, "the text comes back")
    return 0
}
