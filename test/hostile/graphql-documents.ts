export const times = (count: number, each: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => each(index)).join(between)

const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
const filtered = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { nodes { id } } }'
const counted = 'query ($first: Int) { contacts(first: $first) { nodes { id } } }'
export const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}${close.repeat(depth)}`
const raw = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`
const doubled = (count: number, directive = '') =>
  `{ ...f0 } ${times(count, (index) => `fragment f${index} on Query { ...f${index + 1} ${directive} ...f${index + 1} ${directive} }`)} fragment f${count} on Query { __typename }`

/** Hostile variables. */
export const variables: readonly [name: string, body: object | string][] = [
  ['4,000 unknown fields in a variable', { query: filtered, variables: { filter: unknownFields(4_000) } }],
  ['60,000 unknown fields in a variable', { query: filtered, variables: { filter: unknownFields(60_000) } }],
  ['unknown fields with long names', { query: filtered, variables: { filter: { ['x'.repeat(900_000)]: 1 } } }],
  [
    '40,000 wrong items in a list',
    { query: filtered, variables: { filter: { tags: { any: Array(40_000).fill({ a: 1 }) } } } },
  ],
  ['400,000 items in a list', { query: filtered, variables: { filter: { tags: { any: Array(400_000).fill(1) } } } }],
  [
    '400 wrong variables',
    { query: `query (${times(330, (index) => `$v${index}: Int!`)}) { __typename }`, variables: {} },
  ],
  ['lists nested 200,000 deep', raw(filtered, `{"filter":{"tags":{"any":${nested(200_000, '[', ']')}}}}`)],
  ['objects nested 100,000 deep', raw(filtered, `{"filter":${nested(100_000, '{"a":', '}').replace(':}', ':1}')}}`)],
  ['a megabyte of text for a number', { query: counted, variables: { first: 'x'.repeat(1_000_000) } }],
  ['a megabyte of digits', { query: counted, variables: { first: '9'.repeat(1_000_000) } }],
  ['a number beyond all bounds', raw(counted, '{"first":1e999}')],
  [
    '40,000 wrong names of an enumeration',
    {
      query:
        'query ($types: [ConsentKind!]) { contacts(first: 1) { nodes { consents(filter: { kind: $types }) { totalCount } } } }',
      variables: { types: Array.from({ length: 40_000 }, (_, index) => `GDPR${index}`) },
    },
  ],
  [
    'a megabyte for an enumeration',
    {
      query: 'query ($period: Period!) { salesAmount(period: $period) { amount } }',
      variables: { period: 'LAST_30_DAYS'.repeat(80_000) },
    },
  ],
  ['names that every object has', raw(filtered, '{"filter":{"__proto__":{"a":1},"constructor":1,"toString":1}}')],
  ['variables that are no object', { query: filtered, variables: Array(100_000).fill(1) }],
]

/** Hostile documents. */
export const documents: readonly [name: string, query: string][] = [
  ['500 unknown directives', `{ viewer { ${times(480, (index) => `email @d${index}`)} } }`],
  ['one directive 600 times', `{ viewer { email ${'@skip(if: false) '.repeat(240)} } }`],
  ['1,900 unknown fields', `{ ${times(1_900, (index) => `contact${index}`)} }`],
  [
    '1,900 unknown fields that are nearly known',
    `{ account { ${times(1_900, (index) => `billingSubscription${index}`)} } }`,
  ],
  ['a name of 200,000 letters', `{ ${'a'.repeat(200_000)} }`],
  ['names of 500 letters', `{ ${times(450, (index) => `${'contacts'.repeat(60)}${index}`)} }`],
  ['480 unknown arguments', `{ contacts(${times(480, (index) => `first${index}: 1`)}) { totalCount } }`],
  ['a field 1,990 times', `{ ${'__typename '.repeat(1_990)} }`],
  ['an object 490 times', `{ ${'viewer { email } '.repeat(490)} }`],
  [
    'a series of 1,000 days 130 times',
    `{ account { ${times(130, (index) => `a${index}: series(figure: ORDERS, range: { from: "20${String(index % 90).padStart(2, '0')}-01-0${1 + (index % 9)}", to: "20${String((index % 90) + 2).padStart(2, '0')}-09-01" }) { total }`)} } }`,
  ],
  ['a list with arguments 130 times', `{ ${'contacts(first: 1) { nodes { id } } '.repeat(130)} }`],
  [
    'fields that conflict, in fragments',
    `{ ${times(190, (index) => `...f${index}`)} } ${times(190, (index) => `fragment f${index} on Query { a: viewer }`)}`,
  ],
  [
    'fields that double at each level',
    `{ ${Array.from({ length: 7 }).reduce<string>((inner) => `account { contacts { nodes { ${inner} } } } account { contacts { nodes { ${inner} } } }`.slice(0, 200_000), 'id')} }`,
  ],
  ['fragments that double, used always', doubled(120).replace('__typename', 'nothing')],
  ['fragments that double, used under a condition', doubled(90, '@include(if: true)')],
  [
    'fragments that use themselves',
    '{ ...a } fragment a on Query { viewer { email } ...b } fragment b on Query { ...a ...b }',
  ],
  [
    'fragments that use themselves below',
    '{ account { ...a } } fragment a on Account { contacts { nodes { account { ...a ...a } } } }',
  ],
  ['fragments inside of fragments', `{ ${nested(600, '... on Query { ', '} ').replace('{ }', '{ nothing }')} }`],
  [
    '240 fragments that nothing uses',
    `{ __typename } ${times(240, (index) => `fragment f${index} on Query { __typename }`)}`,
  ],
  ['330 operations', times(330, (index) => `query q${index} { __typename }`)],
  ['operations of one name', times(330, () => 'query q { __typename }')],
  ['480 variables', `query (${times(330, (index) => `$v${index}: Nothing`)}) { __typename }`],
  ['aliases at each level', `{ ${times(31, (index) => `a${index}: viewer { email }`)} }`],
  ['a document of comments', `${'#\n'.repeat(490_000)}{ nothing }`],
  ['a document of blanks', `{ nothing ${' '.repeat(900_000)} }`],
  ['a text of newlines', `{ tag(id: """${'\n'.repeat(900_000)}""") { nothing } }`],
  ['a text of 40,000 lines', `{ tag(id: """${'  x\n'.repeat(40_000)}""") { nothing } }`],
  ['a text of escapes', `{ tag(id: "${'\\u0041'.repeat(40_000)}") { nothing } }`],
  ['a text of half a character', `{ tag(id: "${'\\uD83D'.repeat(100)}") { id } }`],
  ['levels without end', nested(990, '{ a ', '}')],
  ['an operation that does not close', '{ a '.repeat(990)],
  ['a list nested 900 deep', `{ contacts(filter: { tags: { any: ${nested(900, '[', ']')} } }) { totalCount } }`],
  [
    'an object nested 400 deep',
    `{ contacts(filter: ${nested(400, '{ a: ', '}').replace(': }', ': 1 }')}) { totalCount } }`,
  ],
  [
    'introspection of types of types',
    '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }',
  ],
  [
    'introspection thirty times',
    `{ ${times(30, (index) => `a${index}: __schema { types { fields { name args { name } } } }`)} }`,
  ],
  [
    'a page that cannot be shown',
    '{ contacts(first: 100) { nodes { tags { contacts(first: 100) { nodes { tags { name } } } } } } }',
  ],
]
