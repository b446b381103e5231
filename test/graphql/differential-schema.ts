import { buildSchema, type GraphQLObjectType, type GraphQLUnionType } from 'graphql'

/** A thing of the schema. Its number decides which of its fields are null or fail. */
interface Thing {
  readonly __typename: 'Thing' | 'Other'
  readonly n: number
}

type Resolvers = Readonly<Record<string, (thing: Thing, args: { n: number; first: number }) => unknown>>

const thing = (n: number): Thing => ({ __typename: n % 3 === 2 ? 'Other' : 'Thing', n })
const ofType = (n: number): Thing => ({ __typename: 'Thing', n })

function fail(message: string): never {
  throw new Error(message)
}

/** A schema with all kinds of types, nulls, errors and promises. */
export const differentialSchema = buildSchema(`
  enum Kind { EVEN ODD }
  interface Node { id: ID! name: String! }
  union Any = Thing | Other
  type Query { thing(n: Int = 1): Thing things(first: Int = 3): [Thing!]! node(n: Int!): Node any(n: Int = 2): Any fails: String }
  type Thing implements Node {
    id: ID! name: String! note: String late: String! count: Int score: Float isEven: Boolean! kind: Kind kinds: [Kind!]
    fails: String failsLate: String wrong: Int label: String flag: Boolean ratio: Float rank: Kind
    child(n: Int = 2): Thing strict(n: Int = 2): Thing! children(first: Int = 2): [Thing!]! sparse: [Thing] any: Any node: Node
  }
  type Other implements Node { id: ID! name: String! size: Int! things: [Thing] }
`)

const things: Resolvers = {
  id: ({ n }) => n,
  name: ({ n }) => `thing ${n}`,
  note: ({ n }) => (n % 2 ? null : 'a note'),
  late: async ({ n }) => `late ${n}`,
  count: ({ n }) => n,
  score: ({ n }) => n / 4,
  isEven: ({ n }) => n % 2 === 0,
  kind: ({ n }) => (n % 5 === 4 ? null : n % 2 ? 'ODD' : 'EVEN'),
  kinds: ({ n }) => (n % 4 === 3 ? null : ['ODD', 'EVEN']),
  fails: ({ n }) => (n % 2 ? fail(`fails ${n}`) : 'succeeds'),
  failsLate: async ({ n }) => (n % 3 === 1 ? fail(`fails late ${n}`) : 'succeeds'),
  wrong: ({ n }) => (n % 2 ? 'text' : n),
  // Values that a response has in the type of the field, or not at all.
  label: ({ n }) => (n % 3 === 0 ? n : 'a label'),
  flag: ({ n }) => (n % 3 === 1 ? 1 : false),
  ratio: ({ n }) => (n % 3 === 2 ? '0.5' : n / 2),
  rank: ({ n }) => (n % 4 === 2 ? 'PRIME' : 'ODD'),
  child: ({ n }, args) => (n > 40 ? null : ofType(n + args.n)),
  strict: async ({ n }, args) => (n % 4 === 3 ? null : ofType(n + args.n)),
  children: async ({ n }, args) => Array.from({ length: args.first }, (_, index) => ofType(n + index + 1)),
  sparse: ({ n }) => [ofType(n + 1), null, ofType(n + 2)],
  any: ({ n }) => (n % 5 === 0 ? null : thing(n + 1)),
  node: async ({ n }) => thing(n + 2),
}

const resolvers: Readonly<Record<string, Resolvers>> = {
  Query: {
    thing: (_root, { n }) => ofType(n),
    things: async (_root, { first }) => Array.from({ length: first }, (_, index) => ofType(index)),
    node: (_root, { n }) => thing(n),
    any: async (_root, { n }) => thing(n),
    fails: () => fail('the query fails'),
  },
  Thing: things,
  Other: {
    id: ({ n }) => n,
    name: ({ n }) => `other ${n}`,
    size: ({ n }) => n * 10,
    things: ({ n }) => [ofType(n), null],
  },
}

for (const [type, fields] of Object.entries(resolvers)) {
  const all = (differentialSchema.getType(type) as GraphQLObjectType).getFields()
  for (const [name, resolve] of Object.entries(fields)) (all[name] as { resolve?: unknown }).resolve = resolve
}
const Any = differentialSchema.getType('Any') as GraphQLUnionType
Any.resolveType = (value: Thing) => value.__typename
