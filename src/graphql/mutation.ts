import type { FieldMap, InputFieldMap, InputShapeFromFields } from '@pothos/core'
import { isRepeat, once } from '../db/idempotency.ts'
import { type Ctx, mustBeAllowed, type Scope } from '../kernel/context.ts'
import { refuse } from '../kernel/errors.ts'
import type { Loader } from '../kernel/load.ts'
import { builder, type Schema } from './builder.ts'

/** What a key needs for a field: a scope, or no scopes at all, which is full access. */
export type Need = Scope | 'full access'

/** Fails with FORBIDDEN where the key does not reach this far. */
export function mustReach(ctx: Ctx, need: Need): void {
  if (need !== 'full access') mustBeAllowed(ctx, need)
  else if (ctx.scopes !== undefined) throw refuse('FORBIDDEN', 'This takes a key with full access.')
}

/** A description that ends on what a key needs. */
export function needing(need: Need, description: string): string {
  return `${description}\n\nNeeds ${need === 'full access' ? 'a key with full access' : `the scope \`${need}\``}.`
}

export type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Schema, 'InputObject'>

/**
 * A mutation: its input, its payload and its field, by the convention of names (`xInput`, `xPayload`). The operation runs
 * once per idempotency key, unless `isRepeatable` says that it must not be stored.
 */
export function mutation<Fields extends InputFieldMap, Input, Result extends object>(
  name: string,
  options: {
    needs: Need
    description: string
    /** The input's fields, which must give what the operation takes. */
    input: (t: InputBuilder) => Fields & (InputShapeFromFields<Fields> extends Input ? unknown : never)
    run: (ctx: Ctx, input: Input) => Promise<Result>
    payload: (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, NoInfer<Result>>) => FieldMap
    isStored?: boolean
    /** How many milliseconds the operation may take, where that is more than the usual. */
    longest?: number
  },
): void {
  const { needs, description, run, isStored = true, longest } = options
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
    fields: options.payload as never,
  })
  builder.mutationField(name, (t) =>
    t.field({
      type: Payload,
      description: needing(needs, description),
      args: { input: t.arg({ type: Input, required: true, description: 'What to do.' }) },
      complexity: 10,
      resolve: (_root, args, ctx) => {
        mustReach(ctx, needs)
        const { idempotencyKey, ...rest } = (args as unknown as { input: { idempotencyKey?: string | null } }).input
        const asked = idempotencyKey == null ? ctx : { ...ctx, idempotencyKey }
        const given = rest as Input
        return (isStored ? once(asked, name, given, run, longest) : run(asked, given)) as never
      },
    }),
  )
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
