public import CoreFoundationTypes

extension CMBufferQueue {
    /// The functions with which a queue reads its buffers.
    public struct Handlers {
        public private(set) var getDecodeTimeStamp: CMBufferGetTimeHandler?
        public private(set) var getPresentationTimeStamp: CMBufferGetTimeHandler?
        public private(set) var getDuration: CMBufferGetTimeHandler = { _ in .invalid }
        public private(set) var isDataReady: CMBufferGetBooleanHandler?
        public private(set) var compare: CMBufferCompareHandler?
        /// Not used: notifications do not exist.
        public private(set) var dataBecameReadyNotification: String?
        public private(set) var getSize: CMBufferGetSizeHandler?

        private init() {}

        /// Creates handlers. `body` sets those that the queue needs. A queue without a handler for durations has none.
        public init(withHandlers body: (inout Builder) -> Void) { self = Handlers().withHandlers(body) }

        /// Returns a copy in which `body` has replaced some handlers.
        public func withHandlers(_ body: (inout Builder) -> Void) -> Handlers {
            var builder = Builder(handlers: self)
            body(&builder)
            return builder.handlers
        }

        /// First in, first out, for sample buffers.
        public static var unsortedSampleBuffers: Handlers {
            unsafe Handlers(CMBufferQueueGetCallbacksForUnsortedSampleBuffers().pointee)
        }

        /// Sorted by output presentation time stamp, for sample buffers. The times are output times.
        public static var outputPTSSortedSampleBuffers: Handlers {
            unsafe Handlers(CMBufferQueueGetCallbacksForSampleBuffersSortedByOutputPTS().pointee)
        }

        private init(_ callbacks: CMBufferCallbacks) {
            let refcon = unsafe callbacks.refcon
            if let callback = unsafe callbacks.getDecodeTimeStamp {
                getDecodeTimeStamp = { unsafe callback($0, refcon) }
            }
            if let callback = unsafe callbacks.getPresentationTimeStamp {
                getPresentationTimeStamp = { unsafe callback($0, refcon) }
            }
            let duration = unsafe callbacks.getDuration
            getDuration = { unsafe duration($0, refcon) }
            if let callback = unsafe callbacks.isDataReady { isDataReady = { unsafe callback($0, refcon) } }
            if let callback = unsafe callbacks.compare { compare = { unsafe callback($0, $1, refcon) } }
            if let callback = unsafe callbacks.getSize { getSize = { unsafe callback($0, refcon) } }
        }

        /// Sets handlers. The buffers that the preferred forms pass can be cast to `CMSampleBuffer` with `as!`.
        public struct Builder {
            fileprivate var handlers: Handlers

            fileprivate init(handlers: Handlers) { self.handlers = handlers }

            public var dataBecameReadyNotification: String? {
                get { handlers.dataBecameReadyNotification }
                set { handlers.dataBecameReadyNotification = newValue }
            }

            public mutating func getDecodeTimeStamp(_ body: @escaping (Any) -> CMTime) {
                handlers.getDecodeTimeStamp = { body(typed($0)) }
            }
            @_disfavoredOverload
            public mutating func getDecodeTimeStamp(_ body: @escaping CMBufferGetTimeHandler) {
                handlers.getDecodeTimeStamp = body
            }

            public mutating func getPresentationTimeStamp(_ body: @escaping (Any) -> CMTime) {
                handlers.getPresentationTimeStamp = { body(typed($0)) }
            }
            @_disfavoredOverload
            public mutating func getPresentationTimeStamp(_ body: @escaping CMBufferGetTimeHandler) {
                handlers.getPresentationTimeStamp = body
            }

            public mutating func getDuration(_ body: @escaping (Any) -> CMTime) {
                handlers.getDuration = { body(typed($0)) }
            }
            @_disfavoredOverload
            public mutating func getDuration(_ body: @escaping CMBufferGetTimeHandler) { handlers.getDuration = body }

            public mutating func isDataReady(_ body: @escaping (Any) -> Bool) {
                handlers.isDataReady = { body(typed($0)) }
            }
            @_disfavoredOverload
            public mutating func isDataReady(_ body: @escaping CMBufferGetBooleanHandler) {
                handlers.isDataReady = body
            }

            public mutating func compare(_ body: @escaping (Any, Any) -> CFComparisonResult) {
                handlers.compare = { body(typed($0), typed($1)) }
            }
            @_disfavoredOverload
            public mutating func compare(_ body: @escaping CMBufferCompareHandler) { handlers.compare = body }

            public mutating func getSize(_ body: @escaping (Any) -> Int) { handlers.getSize = { body(typed($0)) } }
            @_disfavoredOverload
            public mutating func getSize(_ body: @escaping CMBufferGetSizeHandler) { handlers.getSize = body }
        }
    }
}
