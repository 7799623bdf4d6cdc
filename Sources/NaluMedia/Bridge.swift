/// From the module's objects to the handles that the engine takes.
enum Bridge {
    /// The handle of an object of module Nalu is the object's own address. Whoever calls keeps the object alive.
    static func handle(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }
}
