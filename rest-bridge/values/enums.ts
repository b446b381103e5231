/** Converts an enum value of GraphQL to REST: `IN_PROGRESS` becomes `in_progress`. */
export function toRestEnum<Value extends string>(value: Value) {
  return value.toLowerCase() as Lowercase<Value>
}

/** Converts an enum value of REST to GraphQL: `in_progress` becomes `IN_PROGRESS`. */
export function toGraphEnum<Value extends string>(value: Value) {
  return value.toUpperCase() as Uppercase<Value>
}
