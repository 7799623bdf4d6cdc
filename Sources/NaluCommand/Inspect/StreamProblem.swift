/// Something in the stream that is not as the standard wants it.
struct StreamProblem {
    /// Where in the file.
    let offset: Int
    let message: String

    /// One line for each message, with its first place: what is broken once often breaks all that follows.
    static func lines(_ problems: [StreamProblem]) -> [String] {
        var counts: [String: Int] = [:]
        var first: [StreamProblem] = []
        for problem in problems {
            if counts[problem.message] == nil { first.append(problem) }
            counts[problem.message, default: 0] += 1
        }
        return first.map { problem in
            let count = counts[problem.message] ?? 1
            return "byte \(problem.offset): \(problem.message)" + (count == 1 ? "" : ", and \(count - 1) more like it")
        }
    }
}
