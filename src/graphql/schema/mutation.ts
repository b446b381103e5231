import type { FieldMap, InputFieldMap, InputShapeFromFields } from '@pothos/core'
import { type GraphQLResolveInfo, getNullableType, isInputObjectType, Kind, type SelectionSetNode } from 'graphql'
import type { Ctx } from '../../db/context.ts'
import { recorderOf } from '../../db/requests/audit.ts'
import { type LockTarget, unlessChanged } from '../../db/requests/expected-update.ts'
import { isRepeat, type Outside, once } from '../../db/requests/idempotency.ts'
import { atPath } from '../../kernel/errors.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { globalId, nounOf } from '../../kernel/values/ids.ts'
import { builder, type Schema } from './builder.ts'
import { isNode, isNumbered, loadById } from './node.ts'
import { allowed, mustReach, type Need } from './query.ts'
import { readableWith } from './scopes.ts'

type Resolver = (root: unknown, args: object, ctx: Ctx, info: GraphQLResolveInfo) => Promise<object>

export type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Schema, 'InputObject'>

/** The builder of the fields of a payload. */
export type Payload<Result extends object> = PothosSchemaTypes.ObjectFieldBuilder<Schema, Result>

/** The operation of a mutation, and how a request runs it. */
interface MutationOperation<Input, Result extends object> {
  /** Further scopes that the key needs because the input affects other modules. */
  alsoNeeds?: (input: NoInfer<Input>) => readonly (Scope | null)[]
  run: (ctx: Ctx, input: Input) => Promise<Result>
  /** Locks the object that an update changes. The input then has the field `expectedUpdatedAt`. */
  lock?: LockTarget<NoInfer<Input>>
  isStored?: boolean
  /** Whether the audit log records the mutation. Defaults to true. */
  isAudited?: boolean
  /** What the operation does outside of the database. Otherwise it runs in the transaction of its idempotency key. */
  outside?: Outside
}

interface MutationOptions<Fields extends InputFieldMap, Input, Result extends object>
  extends MutationOperation<Input, Result> {
  /** The permission that a key needs. Null if the operation checks the scopes that the input names. */
  needs: Need | null
  description: string
  /** The fields of the input. Their types must match the input of the operation. */
  input: (t: InputBuilder) => Fields & (InputShapeFromFields<Fields> extends Input ? unknown : never)
  payload: (t: Payload<NoInfer<Result>>) => FieldMap
}

/**
 * Defines a mutation with its input type (`XInput`) and its payload type (`XPayload`). The operation runs once per
 * idempotency key, unless `isStored` is false: its result then must not be stored, for example because it holds a secret.
 */
export function mutation<Fields extends InputFieldMap, Input, Result extends object>(
  name: string,
  options: MutationOptions<Fields, Input, Result>,
): void {
  const { needs, description, isStored = true } = options
  const changed: ChangedNodes = new Map()
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const inputText = `Input of \`${name}\`.`
  const InputType = builder.inputType(`${typeName}Input`, {
    description: inputText,
    fields: (t) => ({
      ...options.input(t),
      ...(options.lock && { expectedUpdatedAt: expectedUpdatedAt(t) }),
      ...(isStored && { idempotencyKey: idempotencyKey(t) }),
    }),
  })
  const PayloadType = builder.objectRef<Result>(`${typeName}Payload`).implement({
    description: `Result of \`${name}\`.`,
    fields: ((t: Payload<Result>) => payloadFields(t, options.payload, needs !== 'full access', changed)) as never,
  })
  if (needs !== null) readableWith(`${typeName}Payload`, needs)
  const resolve = resolverOf(name, InputType.name, options, changed)
  builder.mutationField(name, (t) =>
    t.field({
      type: PayloadType,
      description,
      args: { input: t.arg({ type: InputType, required: true, description: inputText }) },
      complexity: 10,
      resolve: (needs === null ? resolve : allowed(needs, resolve)) as never,
    }),
  )
}

/** Defines the field of an input with the idempotency key of one mutation. */
function idempotencyKey(t: InputBuilder) {
  return t.string({
    description:
      'Makes the request safe to repeat. For 24 hours, a request with the same key and the same input returns the first result and changes nothing. Replaces the header `Idempotency-Key`, which applies to every mutation of the document.',
  })
}

/** Defines the field of an input with the state of the object that the client has seen. */
function expectedUpdatedAt(t: InputBuilder) {
  return t.field({
    type: 'DateTime',
    description:
      'The `updatedAt` of the object as the client last read it. Throws CONFLICT if the object was changed since: `updatedAt` in the extensions of the error is then the current one. If absent or null, the update replaces changes of others.',
  })
}

/** Returns the resolver of a mutation, which runs its operation and records it. */
function resolverOf<Input, Result extends object>(
  name: string,
  inputType: string,
  operation: MutationOperation<Input, Result>,
  changed: ChangedNodes,
): Resolver {
  const { alsoNeeds, lock, isStored = true, isAudited = true, outside } = operation
  const run = lock ? (unlessChanged(lock, operation.run) as typeof operation.run) : operation.run
  return (_root, args, ctx, info) => {
    const { idempotencyKey: key, ...rest } = (args as { input: { idempotencyKey?: string | null } }).input
    const keyed = key == null ? ctx : { ...ctx, idempotencyKey: key }
    const storedName = key == null ? nameInDocument(info) : name
    const input = rest as Input
    for (const need of alsoNeeds?.(input) ?? []) if (need) mustReach(ctx, need)
    const recorder = recorderOf((result) => ({
      action: name,
      objects: idsOf(result, changed),
      fields: fieldPaths(input, info.schema.getType(inputType)),
    }))
    // Operations name the fields of their input.
    return atPath('input', async () => {
      const recording = isAudited ? { ...keyed, record: recorder.inTransaction } : keyed
      const result = isStored ? await once(recording, storedName, input, run, outside) : await run(recording, input)
      if (isAudited) await recorder.afterwards(keyed, result)
      return result
    }).finally(ctx.load.clear)
  }
}

/**
 * Returns the name under which the key of a request stores the result of a root field: the name of the field, with its
 * response key if the document has the field more than once.
 */
function nameInDocument({ fieldName, path, operation, fragments }: GraphQLResolveInfo): string {
  const responseKeys = new Set<string>()
  const read = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) read(selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments[selection.name.value]
        if (fragment) read(fragment.selectionSet)
      } else if (selection.name.value === fieldName) responseKeys.add((selection.alias ?? selection.name).value)
    }
  }
  read(operation.selectionSet)
  return responseKeys.size > 1 ? `${fieldName} ${path.key}` : fieldName
}

/** The types of the nodes in a result of an operation: by the name of a row, or of an id. */
type ChangedNodes = Map<string, string>

/** Returns the global ids of the nodes in a result. */
function idsOf(result: unknown, changed: ChangedNodes): string[] {
  return [...changed].flatMap(([name, type]) => {
    const value = (result as Record<string, { id: number | bigint } | number | null | undefined> | undefined)?.[name]
    const id = typeof value === 'object' ? value?.id : value
    return id === undefined ? [] : [globalId(type, id)]
  })
}

/** Maximum number of paths of one input in the audit log. */
const maxPaths = 100

/** Returns the paths of the fields that an input sets, such as `contact.email`. Lists and scalars are not entered. */
function fieldPaths(input: unknown, type: unknown): string[] {
  if (!isInputObjectType(type)) return []
  const types = type.getFields()
  return Object.entries(input as object)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => {
      const each = types[name] && getNullableType(types[name].type)
      const inner = isInputObjectType(each) && value !== null ? fieldPaths(value, each) : []
      return inner.length === 0 ? [name] : inner.map((path) => `${name}.${path}`)
    })
    .slice(0, maxPaths)
}

/**
 * Returns the fields of a payload. A node that it exposes is the row that the operation returned. If the result was
 * stored by an earlier request, it is the current row, or the stored one if the row was deleted since. It is nullable, so that
 * a field inside it that fails does not take the rest of the result: the change was made. With `ids`, each such node gets two
 * fields with its ids, which every key may read, because a key with the scope to write a type may lack the scope to read it.
 */
function payloadFields<Result extends object>(
  t: Payload<Result>,
  payload: (t: Payload<Result>) => FieldMap,
  ids: boolean,
  changed: ChangedNodes,
): FieldMap {
  const idFields: FieldMap = {}
  const expose = (name: string, options: { type: { name: string }; nullable?: boolean }) => {
    const type = options.type.name
    if (!isNode(type)) return t.expose(name as never, options as never)
    changed.set(name, type)
    const rowOf = (result: unknown) => (result as Record<string, { id: number | bigint } | null>)[name]
    // A nullable row may have no id.
    if (ids && !options.nullable) {
      const description = `of the ${nounOf(type)}. Also returned to a key without the scope to read \`${name}\`.`
      const idOf = (result: unknown) => rowOf(result)?.id ?? 0
      idFields[`${name}Id`] = t.id({
        description: `Global ID ${description}`,
        resolve: (result) => globalId(type, idOf(result)),
      })
      if (isNumbered(type)) {
        idFields[`${name}DatabaseId`] = t.int({
          description: `Integer ID ${description}`,
          resolve: (result) => Number(idOf(result)),
        })
      }
    }
    const resolve = async (result: object, _args: object, ctx: Ctx) => {
      const row = rowOf(result)
      return row && isRepeat(result) ? ((await loadById(ctx, type, row.id)) ?? row) : row
    }
    return t.field({ ...options, nullable: true, resolve } as never)
  }
  return { ...payload(Object.assign(Object.create(t) as typeof t, { expose, changed })), ...idFields }
}

/**
 * Returns the fields of a payload with the global ID and the integer ID of a deleted node, so that a client can remove it
 * from its cache. With `isDeleted`, the fields are null if it returns false.
 */
export function deletedNode<Result extends { databaseId: number }>(
  t: Payload<Result>,
  { name }: { name: string },
  isDeleted?: (result: Result) => boolean,
) {
  const nullable = isDeleted !== undefined
  ;(t as { changed?: ChangedNodes }).changed?.set('databaseId', name)
  const description = `of the deleted ${nounOf(name)}.${nullable ? ' Null if it was kept.' : ''}`
  const ifDeleted =
    <Value>(fieldOf: (id: number) => Value) =>
    (result: Result) =>
      isDeleted?.(result) === false ? null : fieldOf(result.databaseId)
  return {
    [`deleted${name}Id`]: t.id({
      nullable,
      description: `Global ID ${description} Use it to remove the object from a cache.`,
      resolve: ifDeleted((id) => globalId(name, id)) as never,
    }),
    [`deleted${name}DatabaseId`]: t.int({
      nullable,
      description: `Integer ID ${description}`,
      resolve: ifDeleted((id) => id) as never,
    }),
  }
}
