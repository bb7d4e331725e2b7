/// The value of an expression, whose error is thrown as another.
package func rethrowing<Value, Given: Error, Other: Error>(
    _ value: @autoclosure () throws(Given) -> Value, as other: (Given) -> Other
) throws(Other) -> Value {
    do throws(Given) { return try value() } catch { throw other(error) }
}
