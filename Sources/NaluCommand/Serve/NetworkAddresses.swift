#if Serve
    private import NaluBase
    private import NaluLibc

    /// The IP addresses of this machine.
    enum NetworkAddresses {
        /// Returns the addresses of networks that are up, without loopback and link-local addresses.
        static func own(ipv6: Bool) -> [String] {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard unsafe getifaddrs(&list) == 0 else { return [] }
            defer { unsafe freeifaddrs(list) }
            var found: [String] = []
            var next = unsafe list
            while let entry = unsafe next {
                unsafe next = entry.pointee.ifa_next
                let flags = unsafe entry.pointee.ifa_flags
                guard let address = unsafe entry.pointee.ifa_addr, flags & UInt32(IFF_UP) != 0,
                    flags & UInt32(IFF_LOOPBACK) == 0
                else { continue }
                let family = Int32(unsafe address.pointee.sa_family)
                guard family == AF_INET || ipv6 && family == AF_INET6 else { continue }
                let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
                var result: Int32 = 0
                let name = unsafe CText.written(128) { text, capacity in
                    result = unsafe getnameinfo(
                        address, socklen_t(size), text, socklen_t(capacity), nil, 0, NI_NUMERICHOST)
                }
                if result == 0, !name.contains("%") { found.append(name) }
            }
            return found
        }
    }
#endif
