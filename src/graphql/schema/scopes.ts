import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isObjectType,
} from 'graphql'
import type { Ctx } from '../../db/context.ts'
import { may } from '../../kernel/scopes.ts'
import { scopeText } from './descriptions.ts'
import { mustReach, type Need, needOf } from './query.ts'

const owners = new Map<string, readonly Need[]>()

/**
 * Declares the scopes of an object type: a key needs any one of them to read its values. Connections and edges inherit the
 * scopes of their nodes. `enforceScopes` checks them at each field that returns the type. A type without a declaration is
 * readable with its parent.
 */
export function readableWith(type: string, ...needs: readonly [Need, ...Need[]]): void {
  owners.set(type, needs)
}

/** Fields that return a type without its scope, because the REST API returns it there. */
const exceptions: readonly { parent: string; field: string; type: string }[] = [
  { parent: 'Contact', field: 'sequences', type: 'Sequence' },
]

/** Returns the scopes that a field needs in addition to those of its parent type (`extensions.needs`). */
export function needsOf(field: Pick<GraphQLField<unknown, Ctx>, 'extensions'>): readonly Need[] {
  return (field.extensions['needs'] as readonly Need[] | undefined) ?? []
}

/** Returns the scopes of an object type. Connections and edges have those of their nodes. */
function scopesOfType(type: GraphQLObjectType): readonly Need[] {
  const node = /(?:Connection|Edge)$/.test(type.name)
    ? (type.getFields()['nodes'] ?? type.getFields()['node'])
    : undefined
  const row = node && getNamedType(node.type)
  return isObjectType(row) ? scopesOfType(row) : (owners.get(type.name) ?? [])
}

/** Returns the scopes of which any key that reached a value of the type has at least one. */
function guaranteedScopes(type: GraphQLObjectType, schema: GraphQLSchema): readonly Need[] {
  const parents = exceptions.flatMap((each) => (each.type === type.name ? [schema.getType(each.parent)] : []))
  return [...scopesOfType(type), ...parents.flatMap((parent) => (isObjectType(parent) ? scopesOfType(parent) : []))]
}

/**
 * Adds a scope check to every field that returns a type with other scopes than its parent, and names the scope in the
 * description of the field. Other fields keep their resolvers, so rows of a list cost no additional checks. `allowed`
 * replaces the scopes of the type.
 *
 * Makes each field nullable that a scope or a failure can take: the checked fields, and all fields of Query and Mutation.
 * The fields beside it keep their values then. The field of a subscription stays required, because it is alone.
 */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const guaranteed = guaranteedScopes(type, schema)
    const isSubscription = type === schema.getSubscriptionType()
    const canFail = type === schema.getQueryType() || type === schema.getMutationType()
    for (const field of Object.values(type.getFields())) {
      const checked = field.resolve && needOf(field.resolve)
      const needs = additionalScopes(type, field, checked ? [checked] : scopesOfResult(field), guaranteed)
      const [need] = needs
      if (canFail || (need !== undefined && !isSubscription)) field.type = getNullableType(field.type)
      if (need === undefined) continue
      field.extensions = { ...field.extensions, needs }
      field.description = `${field.description}\n\n${scopeText(need)}`
      if (!checked) {
        field.resolve = withScopeCheck(needs, field.resolve ?? defaultFieldResolver, type.name.endsWith('Payload'))
      }
    }
  }
  return schema
}

/** Returns the scopes of the type that a field returns. */
function scopesOfResult(field: GraphQLField<unknown, Ctx>): readonly Need[] {
  const type = getNamedType(field.type)
  return isObjectType(type) ? scopesOfType(type) : []
}

/** Returns `needs`, or none if every key that reached the parent has one of them, or the field is an exception. */
function additionalScopes(
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, Ctx>,
  needs: readonly Need[],
  guaranteed: readonly Need[],
): readonly Need[] {
  const isException = exceptions.some((each) => each.parent === parent.name && each.field === field.name)
  const isGuaranteed =
    guaranteed.length > 0 && guaranteed.every((each) => each === 'full access' || needs.includes(each))
  return isException || isGuaranteed ? [] : needs
}

type Resolver = NonNullable<GraphQLField<unknown, Ctx>['resolve']>

function withScopeCheck(needs: readonly Need[], resolve: Resolver, isPayload: boolean): Resolver {
  const [first] = needs as readonly [Need]
  return (parent, args, ctx, info) => {
    const hasScope = needs.some((need) => need !== 'full access' && may(ctx, need))
    // The REST specification fixes the response of each write, whatever the key may read.
    if (!hasScope && !(isPayload && ctx.isFixedDocument)) mustReach(ctx, first)
    return resolve(parent, args, ctx, info)
  }
}
