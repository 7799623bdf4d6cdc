/// Places in a file, in order, each once.
struct SortedPlaces {
    private var places: [Int64]

    init(_ places: [Int64]) {
        self.places = places
    }

    /// The first of those at or after `place`.
    private func index(from place: Int64) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func contains(_ place: Int64) -> Bool {
        let index = index(from: place)
        return index < places.count && places[index] == place
    }

    /// `Int64.max` where there is none.
    func next(after place: Int64) -> Int64 {
        let index = index(from: place + 1)
        return index < places.count ? places[index] : .max
    }

    mutating func insert(_ place: Int64) {
        // Mostly they come in order.
        if let last = places.last, last >= place {
            let index = index(from: place)
            if places[index] != place { places.insert(place, at: index) }
        } else {
            places.append(place)
        }
    }
}
