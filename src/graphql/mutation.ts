import type { FieldMap, InputFieldMap, InputShapeFromFields } from '@pothos/core'
import type { Ctx, Loader } from '../db/context.ts'
import { isRepeat, once } from '../db/idempotency.ts'
import { globalId } from '../kernel/ids.ts'
import type { Scope } from '../kernel/scopes.ts'
import { builder, type Schema } from './builder.ts'
import { isNode } from './node.ts'
import { allowed, mustReach, type Need } from './query.ts'
import { needsToRead, readableWith } from './scopes.ts'

/** Returns a description that ends with the scope that the field requires. */
export function needing(need: Need, description: string): string {
  return `${description}\n\nNeeds ${need === 'full access' ? 'an API key with full access' : `the scope \`${need}\``}.`
}

export type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Schema, 'InputObject'>

type PayloadFields<Result extends object> = PothosSchemaTypes.ObjectFieldBuilder<Schema, Result>

/**
 * Defines a mutation with its input type (`XInput`) and its payload type (`XPayload`). The operation runs once per
 * idempotency key, unless `isStored` is false: its result then must not be stored, for example because it holds a secret.
 */
export function mutation<Fields extends InputFieldMap, Input, Result extends object>(
  name: string,
  options: {
    needs: Need
    /** Further scopes that the key needs because the input affects other modules. */
    alsoNeeds?: (input: NoInfer<Input>) => readonly (Scope | null)[]
    description: string
    /** The fields of the input. Their types must match the input of the operation. */
    input: (t: InputBuilder) => Fields & (InputShapeFromFields<Fields> extends Input ? unknown : never)
    run: (ctx: Ctx, input: Input) => Promise<Result>
    payload: (t: PayloadFields<NoInfer<Result>>) => FieldMap
    isStored?: boolean
    /** Maximum duration of the operation, in milliseconds. Defaults to 30 seconds. */
    timeoutMs?: number
  },
): void {
  const { needs, alsoNeeds, description, run, isStored = true, timeoutMs } = options
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const Input = builder.inputType(`${typeName}Input`, {
    description: `Input of \`${name}\`.`,
    fields: (t) => ({
      ...options.input(t),
      ...(isStored && {
        idempotencyKey: t.string({
          description:
            'Makes the request safe to repeat. For 24 hours, a request with the same key and the same input returns the first result and changes nothing. Replaces the header `Idempotency-Key`.',
        }),
      }),
    }),
  })
  const Payload = builder.objectRef<Result>(`${typeName}Payload`).implement({
    description: `Result of \`${name}\`.`,
    fields: ((t: PayloadFields<Result>) =>
      needs === 'full access' ? options.payload(t) : withIds(t, options.payload)) as never,
  })
  readableWith(`${typeName}Payload`, needs)
  builder.mutationField(name, (t) =>
    t.field({
      type: Payload,
      description: needing(needs, description),
      args: { input: t.arg({ type: Input, required: true, description: `Input of \`${name}\`.` }) },
      complexity: 10,
      resolve: allowed(needs, (_root, args, ctx) => {
        const { idempotencyKey, ...rest } = (args as unknown as { input: { idempotencyKey?: string | null } }).input
        const keyed = idempotencyKey == null ? ctx : { ...ctx, idempotencyKey }
        const input = rest as Input
        for (const need of alsoNeeds?.(input) ?? []) if (need) mustReach(ctx, need)
        return (isStored ? once(keyed, name, input, run, timeoutMs) : run(keyed, input)) as never
      }),
    }),
  )
}

/**
 * Returns the fields of a payload. Fields that return an object become nullable, because a key with the scope to write a
 * type may lack the scope to read it. Each node gets two fields with its ids, which every key may read.
 */
function withIds<Result extends object>(
  t: PayloadFields<Result>,
  payload: (t: PayloadFields<Result>) => FieldMap,
): FieldMap {
  const types = new Map<unknown, string>()
  const own = Object.assign(Object.create(t) as typeof t, {
    field: (options: { type: { kind?: string; name?: string }; description: string; nullable?: boolean }) => {
      const { kind, name = '' } = options.type
      if (kind !== 'Object') return t.field(options as never)
      const [need] = needsToRead(name)
      const description = need ? needing(need, options.description) : options.description
      const ref = t.field({ ...options, nullable: true, description } as never)
      // A nullable row may have no id.
      if (!options.nullable) types.set(ref, name)
      return ref
    },
  })
  const fields = payload(own)
  const ids = Object.entries(fields).flatMap(([name, ref]) => {
    const type = types.get(ref)
    if (type === undefined || !isNode(type)) return []
    const idOf = (result: Result) => (result as Record<string, { id: number }>)[name]?.id ?? 0
    const noun = type.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
    const description = `of the ${noun}. Also returned to a key without the scope to read \`${name}\`.`
    return [
      [
        `${name}Id`,
        t.id({ description: `Global ID ${description}`, resolve: (result) => globalId(type, idOf(result as Result)) }),
      ],
      [
        `${name}DatabaseId`,
        t.int({ description: `Integer ID ${description}`, resolve: (result) => idOf(result as Result) }),
      ],
    ] as const
  })
  return { ...fields, ...Object.fromEntries(ids) }
}

/**
 * Resolves a payload's field to the row that the operation returned. If the result was stored by an earlier request,
 * resolves it to the current row, or to the stored one if the row was deleted since.
 */
export function asOfNow<Result extends object, Row extends { id: number }>(
  loader: Loader<number, Row, null>,
  pick: (result: Result) => Row,
): (result: Result, args: object, ctx: Ctx) => Promise<Row> {
  return async (result, _args, ctx) => {
    const row = pick(result)
    return isRepeat(result) ? ((await ctx.load(loader, row.id)) ?? row) : row
  }
}
