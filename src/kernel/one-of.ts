/** An object with exactly one of the fields: the value of an input type with `@oneOf`. */
export type OneOf<Fields> = {
  [Name in keyof Fields]: { [Key in Name]: Fields[Key] } & { [Other in Exclude<keyof Fields, Name>]?: never }
}[keyof Fields]
