extension [UInt8] {
    /// Appends a finite number as the shortest text that reads back as the same double, as JSON and SVG have it.
    package mutating func appendShortest(_ value: Double) {
        // Most numbers have at most three decimals. With up to 15 digits, that decimal form is the shortest text that
        // reads back as the same double.
        let thousandths = (value * 1000).rounded()
        if thousandths.magnitude < 1e15, thousandths / 1000 == value, value != 0 || value.sign == .plus {
            appendDecimal(thousandths: Int64(thousandths))
            return
        }
        // Swift's description is the shortest text that reads back as the same double; its `.0` is not needed.
        var text = value.description.utf8[...]
        if text.suffix(2).elementsEqual(".0".utf8) { text = text.dropLast(2) }
        append(contentsOf: text)
    }

    /// A number of thousandths, without trailing zeros.
    private mutating func appendDecimal(thousandths: Int64) {
        if thousandths < 0 { append(UInt8(ascii: "-")) }
        let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        var power: UInt64 = 1
        while power <= whole / 10 { power *= 10 }
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(whole / power % 10))
            power /= 10
        }
        guard fraction > 0 else { return }
        append(UInt8(ascii: "."))
        var rest = fraction
        for power: UInt64 in [100, 10, 1] where rest > 0 {
            append(UInt8(ascii: "0") + UInt8(rest / power))
            rest %= power
        }
    }
}
