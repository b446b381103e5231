import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'

const long = '9'.repeat(400)
const texts = [
  ...['', '\0', 'a\ud800', 'x'.repeat(70_000), '𝒳'.repeat(300), '%_\\', long, 'NaN', 'https://\0', 'a@b\0.example'],
  '{"version":1,"root":[{"type":"\\u0000"}]}',
]

/** Values that a client could send for a scalar: most are invalid, and some only look so. */
const byScalar: Readonly<Record<string, readonly unknown[]>> = {
  String: [...texts, 5],
  ID: ['', '-1', '2147483648', long, '1.5', '\0', '\ud800', 'Q29udGFjdDox', 0, 1e15],
  Int: [0, -1, 2_147_483_647, -2_147_483_648, 2_147_483_648, 1e308, 1.5, '1', null],
  Float: [1e308, -1e308, 5e-324, '1'],
  Boolean: ['true', 1, null],
  DateTime: [
    ...['0000-01-01T00:00:00Z', '0000-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00'],
    ...['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-12:00', '-0001-01-01T00:00:00Z', '+010000-01-01T00:00:00Z'],
    ...['2026-02-30T00:00:00Z', '', 5, -1e15],
  ],
  Date: ['0000-01-01', '0001-01-01', '9999-12-31', '2026-02-30', '-001-01-01', '', long, 5],
  Decimal: [
    ...['1e999', long, `0.${long}`, '-0', 'NaN', 'Infinity', '1e-400', '', '-99999999999999999999', '\0'],
    1e308,
    -1,
  ],
  CurrencyCode: ['AAA', 'EUR', 'JPY', 'eur', '', 'EU\0', '€€€', 5],
  JSON: [
    '\0',
    { a: '\0' },
    { '\0': 1 },
    { a: '\ud800' },
    ['\udfff'],
    1e308,
    null,
    [],
    5,
    '',
    { __proto__: null },
    nested(60),
  ],
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)]
}

/**
 * Returns hostile values for a type: for an enum also its own values, for a list also empty, long and repeated ones.
 */
function listHostileValues(type: GraphQLInputType): readonly unknown[] {
  const nullable = getNullableType(type)
  const named = getNamedType(type)
  const single = isEnumType(named)
    ? [...named.getValues().map(({ name }) => name), 'NONSENSE', '', 5]
    : (byScalar[named.name] ?? [])
  if (!isListType(nullable)) return [null, ...single]
  return [null, [], [null], single, [single[2]], [single[3]], Array(1_500).fill(single[1])]
}

const usual: Readonly<Record<string, unknown>> = {
  ...{ String: 'x', ID: '1', Int: 1, Float: 1, Boolean: true, DateTime: '2026-01-01T00:00:00Z', Date: '2026-01-01' },
  ...{ Decimal: '1.00', CurrencyCode: 'EUR', JSON: {} },
}

/** Returns a valid value for a type: of an input object its required fields. */
export function validValue(type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [validValue(nullable.ofType)]
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name
  if (!isInputObjectType(nullable)) return usual[(nullable as { name: string }).name]
  const needed = Object.values(nullable.getFields()).filter(({ type: of }) => isNonNullType(of))
  return Object.fromEntries(needed.map((field) => [field.name, validValue(field.type)]))
}

type Input = Readonly<Record<string, unknown>>

/** Returns valid arguments or input with one hostile value, for each place; `base` is the valid input. */
export function* listHostileInputs(
  fields: readonly (GraphQLArgument | GraphQLInputField)[],
  base: Input,
  seen: Set<string> = new Set(),
): Generator<{ readonly path: string; readonly values: Input }> {
  for (const { name, type } of fields) {
    const named = getNamedType(type)
    if (!isInputObjectType(named)) {
      for (const value of listHostileValues(type)) yield { path: name, values: { ...base, [name]: value } }
      continue
    }
    // Fields that several input types share have the same validation, so they are tested once.
    if (seen.has(named.name)) continue
    seen.add(named.name)
    const isList = isListType(getNullableType(type))
    const given = isList ? (base[name] as unknown[] | undefined)?.[0] : base[name]
    const inner = { ...(validValue(named) as Input), ...(given as Input | undefined) }
    for (const { path, values } of listHostileInputs(Object.values(named.getFields()), inner, seen)) {
      yield { path: `${name}.${path}`, values: { ...base, [name]: isList ? [values] : values } }
    }
  }
}
