import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { schema } from '../../src/server/schema.ts'
import { isConnection, isList } from './lists.ts'
import { allOf, fieldsOf, isAskable, pageOf } from './walk.ts'

/** A field that leads from objects to others, and a query that selects it. `$n` is the number of parents. */
interface Link {
  /** `Parent.field` */
  readonly field: string
  readonly query: string
}

const rootFields = () => fieldsOf(schema.getQueryType() as GraphQLObjectType)

/**
 * Returns the fields with objects of every type to which a list of the root leads, each with a query that selects it and
 * all scalar fields of its objects from `$n` elements of that list; from all elements if the list has no pages.
 */
export function links(): Link[] {
  const found: Link[] = []
  const types = new Set<string>()
  const steps: { path: readonly string[]; type: GraphQLObjectType }[] = []
  const enter = (path: readonly string[], type: GraphQLObjectType) => {
    if (types.has(type.name)) return
    types.add(type.name)
    steps.push({ path, type })
  }
  const lists = rootFields().filter((field) => isAskable(field) && isObjectType(getNamedType(field.type)))
  const isPaged = (field: (typeof lists)[number]) => isConnection(getNamedType(field.type))
  // Pages first, because their size is chosen.
  for (const field of [...lists.filter(isPaged), ...lists.filter((each) => !isPaged(each) && isList(each.type))]) {
    enter([isPaged(field) ? `${field.name}(first: $n)` : field.name], getNamedType(field.type) as GraphQLObjectType)
  }
  for (let step = steps.shift(); step; step = steps.shift()) {
    const { path, type } = step
    for (const field of fieldsOf(type)) {
      const to = getNamedType(field.type)
      if (!isAskable(field) || !isObjectType(to)) continue
      // Another size than that of the root, so that no page is read twice.
      const selected = pageOf(field, 3)
      const body = [...path, selected].reduceRight(
        (inner, each) => `${each} { ${inner} }`,
        allOf(to, isConnection(to) ? 1 : 0),
      )
      found.push({ field: `${type.name}.${field.name}`, query: body })
      enter([...path, selected], to)
    }
  }
  return found
}
