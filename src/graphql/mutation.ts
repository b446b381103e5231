import type { FieldMap, InputFieldMap, InputShapeFromFields } from '@pothos/core'
import type { Ctx } from '../db/context.ts'
import { isRepeat, once } from '../db/idempotency.ts'
import type { Loader } from '../db/load.ts'
import { globalId } from '../kernel/ids.ts'
import type { Scope } from '../kernel/scopes.ts'
import { builder, type Schema } from './builder.ts'
import { isNode } from './node.ts'
import { allowed, mustReach, type Need } from './query.ts'
import { needsToRead, readableWith } from './scopes.ts'

/** A description that ends on what a key needs. */
export function needing(need: Need, description: string): string {
  return `${description}\n\nNeeds ${need === 'full access' ? 'a key with full access' : `the scope \`${need}\``}.`
}

export type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Schema, 'InputObject'>

type PayloadFields<Result extends object> = PothosSchemaTypes.ObjectFieldBuilder<Schema, Result>

/**
 * A mutation: its input, its payload and its field, by the convention of names (`xInput`, `xPayload`). The operation runs
 * once per idempotency key, unless `isRepeatable` says that it must not be stored.
 */
export function mutation<Fields extends InputFieldMap, Input, Result extends object>(
  name: string,
  options: {
    needs: Need
    /** What a key needs besides for an input that reaches into other rooms. */
    alsoNeeds?: (input: NoInfer<Input>) => readonly (Scope | null)[]
    description: string
    /** The input's fields, which must give what the operation takes. */
    input: (t: InputBuilder) => Fields & (InputShapeFromFields<Fields> extends Input ? unknown : never)
    run: (ctx: Ctx, input: Input) => Promise<Result>
    payload: (t: PayloadFields<NoInfer<Result>>) => FieldMap
    isStored?: boolean
    /** How many milliseconds the operation may take, where that is more than the usual. */
    longest?: number
  },
): void {
  const { needs, alsoNeeds, description, run, isStored = true, longest } = options
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const Input = builder.inputType(`${typeName}Input`, {
    description: `What \`${name}\` takes.`,
    fields: (t) => ({
      ...options.input(t),
      ...(isStored && {
        idempotencyKey: t.string({
          description:
            'Makes a repeat safe: within a day the same key with the same input gives the first answer again and changes nothing. Takes the place of the header `Idempotency-Key`.',
        }),
      }),
    }),
  })
  const Payload = builder.objectRef<Result>(`${typeName}Payload`).implement({
    description: `What \`${name}\` answers.`,
    fields: ((t: PayloadFields<Result>) =>
      needs === 'full access' ? options.payload(t) : withIds(t, options.payload)) as never,
  })
  readableWith(`${typeName}Payload`, needs)
  builder.mutationField(name, (t) =>
    t.field({
      type: Payload,
      description: needing(needs, description),
      args: { input: t.arg({ type: Input, required: true, description: 'What to do.' }) },
      complexity: 10,
      resolve: allowed(needs, (_root, args, ctx) => {
        const { idempotencyKey, ...rest } = (args as unknown as { input: { idempotencyKey?: string | null } }).input
        const asked = idempotencyKey == null ? ctx : { ...ctx, idempotencyKey }
        const given = rest as Input
        for (const need of alsoNeeds?.(given) ?? []) if (need) mustReach(ctx, need)
        return (isStored ? once(asked, name, given, run, longest) : run(asked, given)) as never
      }),
    }),
  )
}

/**
 * The fields of a payload, with those that show an object made nullable: a key that may write a type need not be able to
 * read it. Beside each node stand its ids, which the call itself reveals.
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
      // A row that may be absent has no ids that are certain.
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
    const description = `of the ${noun}, also for a key that may not read \`${name}\`.`
    return [
      [
        `${name}Id`,
        t.id({ description: `Global id ${description}`, resolve: (result) => globalId(type, idOf(result as Result)) }),
      ],
      [
        `${name}DatabaseId`,
        t.int({ description: `Integer id ${description}`, resolve: (result) => idOf(result as Result) }),
      ],
    ] as const
  })
  return { ...fields, ...Object.fromEntries(ids) }
}

/**
 * Resolves a payload's field to a row: as the operation answered it, or, where the answer is a stored one, as the row is
 * now. A row that has gone since is shown as it was stored.
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
