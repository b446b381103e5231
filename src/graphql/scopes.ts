import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Ctx } from '../db/context.ts'
import { may } from '../kernel/scopes.ts'
import { mustReach, type Need, needOf } from './query.ts'

const owners = new Map<string, readonly Need[]>()

/**
 * Declares what a key needs to read values of an object type: any one of `needs`. Connections and edges take it from their
 * nodes. `enforceScopes` checks it at each field that leads to the type. A type that is not declared belongs to its parent.
 */
export function readableWith(type: string, ...needs: readonly [Need, ...Need[]]): void {
  owners.set(type, needs)
}

/** What a key needs to read values of an object type: any one of these; none where the type belongs to its parent. */
export function needsToRead(type: string): readonly Need[] {
  return owners.get(type) ?? []
}

/** Fields that show a type without its scope, because the REST API shows it there: parent type, field, type. */
const exceptions: readonly { parent: string; field: string; type: string }[] = [
  { parent: 'Contact', field: 'sequences', type: 'Sequence' },
]

/** What a key needs for a field beyond what it needs for the field's parent; `extensions.needs` of the field. */
export function needsOf(field: Pick<GraphQLField<unknown, Ctx>, 'extensions'>): readonly Need[] {
  return (field.extensions['needs'] as readonly Need[] | undefined) ?? []
}

/** The same of connections and edges too, which have what their nodes have. */
function ownersOf(type: GraphQLObjectType): readonly Need[] {
  const node = /(?:Connection|Edge)$/.test(type.name)
    ? (type.getFields()['nodes'] ?? type.getFields()['node'])
    : undefined
  const row = node && getNamedType(node.type)
  return isObjectType(row) ? ownersOf(row) : needsToRead(type.name)
}

/** With which needs a value of a type can have been reached: each of them alone. */
function guaranteesOf(type: GraphQLObjectType, schema: GraphQLSchema): readonly Need[] {
  const parents = exceptions.flatMap((each) => (each.type === type.name ? [schema.getType(each.parent)] : []))
  return [...ownersOf(type), ...parents.flatMap((parent) => (isObjectType(parent) ? ownersOf(parent) : []))]
}

/**
 * Makes every field that leads from one type to another with another scope check that scope, once, when the schema is
 * built: fields within a scope keep their resolvers, so a list of rows costs nothing more. A field that checks already by
 * `allowed` is left alone. Throws where a field could lose its value to a scope but may not be null.
 */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const guarantees = guaranteesOf(type, schema)
    const isRoot = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].includes(type)
    for (const field of Object.values(type.getFields())) {
      const checked = field.resolve && needOf(field.resolve)
      const needs = missing(type, field, checked ? [checked] : leadsTo(field), guarantees)
      if (needs.length === 0) continue
      field.extensions = { ...field.extensions, needs }
      if (isNonNullType(field.type) && !isRoot) {
        throw new Error(`${type.name}.${field.name} must be nullable: a key without ${needs.join(' or ')} gets null.`)
      }
      if (!checked) field.resolve = guarded(needs, field.resolve ?? defaultFieldResolver, type.name.endsWith('Payload'))
    }
  }
  return schema
}

/** The needs of the type that a field leads to. */
function leadsTo(field: GraphQLField<unknown, Ctx>): readonly Need[] {
  const type = getNamedType(field.type)
  return isObjectType(type) ? ownersOf(type) : []
}

/** Those needs, unless the key is sure to meet them, because it has come to the field's parent. */
function missing(
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, Ctx>,
  needs: readonly Need[],
  guarantees: readonly Need[],
): readonly Need[] {
  const isException = exceptions.some((each) => each.parent === parent.name && each.field === field.name)
  const isCertain = guarantees.length > 0 && guarantees.every((each) => each === 'full access' || needs.includes(each))
  return isException || isCertain ? [] : needs
}

type Resolver = NonNullable<GraphQLField<unknown, Ctx>['resolve']>

function guarded(needs: readonly Need[], resolve: Resolver, isPayload: boolean): Resolver {
  const [first] = needs as readonly [Need]
  return (parent, args, ctx, info) => {
    const isReached = needs.some((need) => need !== 'full access' && may(ctx, need))
    // What `/v1` answers to a write is fixed by its specification: the ids and own columns of what was written.
    if (!isReached && !(isPayload && ctx.isFixedWrite)) mustReach(ctx, first)
    return resolve(parent, args, ctx, info)
  }
}
