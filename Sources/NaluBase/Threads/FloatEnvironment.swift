private import NaluLibc

/// The floating-point environment of the calling thread. Programs of Pascal, for example, trap invalid operations, and
/// encoders rely on infinities and NaN.
package enum FloatEnvironment {
    /// FE_DFL_ENV of the system's fenv.h, a cast that Swift does not import.
    private static var standard: UnsafePointer<fenv_t>? { unsafe UnsafePointer(bitPattern: -1) }

    /// Runs `body` with the default environment, and restores the client's afterwards.
    package static func hidden<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var environment = fenv_t()
        _ = unsafe fegetenv(&environment)
        defer { _ = unsafe fesetenv(&environment) }
        _ = unsafe fesetenv(standard)
        return try body()
    }
}
