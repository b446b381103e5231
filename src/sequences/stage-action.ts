import { z } from 'zod'
import { text } from '../kernel/check.ts'
import { idOf } from '../kernel/ids.ts'

/** The kinds of actions of a stage. */
const actionKinds = ['ADD_TAG', 'REMOVE_TAG', 'ENROL', 'UNENROL', 'UNSUBSCRIBE', 'WEBHOOK'] as const
type ActionKind = (typeof actionKinds)[number]

/** An action as it is stored: its kind and the one setting of that kind. */
export type StageAction =
  | { readonly kind: 'ADD_TAG' | 'REMOVE_TAG'; readonly tagId: number }
  | { readonly kind: 'ENROL' | 'UNENROL'; readonly sequenceId: number }
  | { readonly kind: 'UNSUBSCRIBE' }
  | { readonly kind: 'WEBHOOK'; readonly url: string }

/** An action as a client sends it. */
export interface ActionInput {
  kind: ActionKind
  tagId?: string | number | null | undefined
  sequenceId?: string | number | null | undefined
  url?: string | null | undefined
}

const absent = z.null('must be absent for this kind of action').optional()
const id = (type: string) =>
  z
    .union([z.string(), z.number()], 'is required for this kind of action')
    .transform((value) => idOf(type, value, `action.${type.toLowerCase()}Id`))
const webhookUrl = z.string('is required for this kind of action').pipe(text(2_048))

/** Validates an action by its kind and converts it into its stored form. */
export const StageAction = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.enum(['ADD_TAG', 'REMOVE_TAG']), tagId: id('Tag'), sequenceId: absent, url: absent })
    .transform(toStored),
  z
    .object({ kind: z.enum(['ENROL', 'UNENROL']), sequenceId: id('Sequence'), tagId: absent, url: absent })
    .transform(toStored),
  z.object({ kind: z.literal('UNSUBSCRIBE'), tagId: absent, sequenceId: absent, url: absent }).transform(toStored),
  z.object({ kind: z.literal('WEBHOOK'), url: webhookUrl, tagId: absent, sequenceId: absent }).transform(toStored),
])

/** Removes the null fields of other kinds. */
function toStored(action: object): StageAction {
  return Object.fromEntries(Object.entries(action).filter(([, value]) => value != null)) as never
}
