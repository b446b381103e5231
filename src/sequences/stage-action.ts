import { z } from 'zod'
import { text } from '../kernel/check.ts'
import { idOf } from '../kernel/ids.ts'

/** What an action stage can do. */
export const actionKinds = ['ADD_TAG', 'REMOVE_TAG', 'ENROL', 'UNENROL', 'UNSUBSCRIBE', 'WEBHOOK'] as const
export type ActionKind = (typeof actionKinds)[number]

/** An action as it is kept: its kind, and the one thing that the kind is about. */
export type StageAction =
  | { readonly kind: 'ADD_TAG' | 'REMOVE_TAG'; readonly tagId: number }
  | { readonly kind: 'ENROL' | 'UNENROL'; readonly sequenceId: number }
  | { readonly kind: 'UNSUBSCRIBE' }
  | { readonly kind: 'WEBHOOK'; readonly url: string }

/** An action as a client gives it. */
export interface ActionInput {
  kind: ActionKind
  tagId?: string | number | null | undefined
  sequenceId?: string | number | null | undefined
  url?: string | null | undefined
}

const refused = z.null('does not belong to this kind of action').optional()
const id = (type: string) =>
  z
    .union([z.string(), z.number()], 'is required for this kind of action')
    .transform((given) => idOf(type, given, `action.${type.toLowerCase()}Id`))
const url = text(2_048)
const webAddress = z.string('is required for this kind of action').pipe(url)

/** The rules of an action, kind by kind; reads what a client gives into what is kept. */
export const StageAction = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.enum(['ADD_TAG', 'REMOVE_TAG']), tagId: id('Tag'), sequenceId: refused, url: refused })
    .transform(kept),
  z
    .object({ kind: z.enum(['ENROL', 'UNENROL']), sequenceId: id('Sequence'), tagId: refused, url: refused })
    .transform(kept),
  z.object({ kind: z.literal('UNSUBSCRIBE'), tagId: refused, sequenceId: refused, url: refused }).transform(kept),
  z.object({ kind: z.literal('WEBHOOK'), url: webAddress, tagId: refused, sequenceId: refused }).transform(kept),
])

/** Without what does not belong to the kind. */
function kept(given: object): StageAction {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as never
}
