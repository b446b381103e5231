import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

const maxDepth = 3

/**
 * Returns the text of a valid query with random fields, aliases, arguments, fragments and directives. It defines the variables
 * `$yes`, `$no` and `$n`.
 */
export function newDocument(schema: GraphQLSchema, random: () => number): string {
  const fragments: string[] = []
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  let aliases = 0

  const directive = () => {
    if (random() > 0.12) return ''
    return ` @${pick(['include', 'skip'])}(if: ${pick(['$yes', '$no', 'true', 'false'])})`
  }
  const argumentsOf = ({ args }: GraphQLField<unknown, unknown>) => {
    const given = args.filter(({ type }) => String(type).endsWith('!') || random() < 0.4)
    const value = () => (random() < 0.3 ? '$n' : String(Math.floor(random() * 5)))
    return given.length === 0 ? '' : `(${given.map(({ name }) => `${name}: ${value()}`).join(', ')})`
  }
  const fieldOf = (field: GraphQLField<unknown, unknown>, depth: number): string => {
    const type = getNamedType(field.type)
    const given = argumentsOf(field)
    const condition = directive()
    aliases += 1
    // A field with arguments has a name of its own, because fields with one name must have the same arguments. So has a field
    // with a directive: if a field is selected twice and once excluded, compiled queries return it at the first place.
    const isNamed = given !== '' || condition !== '' || isCompositeType(type) || random() < 0.15
    return `${isNamed ? `f${aliases}: ` : ''}${field.name}${given}${condition}${isCompositeType(type) ? ` ${selectionOf(type, depth + 1)}` : ''}`
  }
  const fragmentOf = (type: GraphQLNamedType, depth: number): string => {
    const on = isObjectType(type) ? type : pick(schema.getPossibleTypes(type as never))
    const selection = selectionOf(on, depth + 1)
    if (random() < 0.5) return `... on ${on.name} ${selection}`
    fragments.push(`fragment F${fragments.length} on ${on.name} ${selection}`)
    return `...F${fragments.length - 1}`
  }
  const selectionOf = (type: GraphQLNamedType, depth: number): string => {
    const all = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
    const fields = depth < maxDepth ? all : all.filter((field) => !isCompositeType(getNamedType(field.type)))
    const count = 1 + Math.floor(random() * 3)
    const selections = Array.from({ length: count }, () => {
      if (depth < maxDepth && random() < 0.2) return fragmentOf(type, depth)
      return fields.length === 0 || random() < 0.1 ? '__typename' : fieldOf(pick(fields), depth)
    })
    return `{ ${selections.join(' ')} }`
  }
  const query = selectionOf(schema.getQueryType() as GraphQLNamedType, 0)
  // Uses each variable, as a valid document must.
  return `query ($yes: Boolean!, $no: Boolean!, $n: Int!) { a: __typename @include(if: $yes) b: __typename @skip(if: $no)
    c: thing(n: $n) { id } ${query.slice(1)}
    ${fragments.join('\n')}`
}
