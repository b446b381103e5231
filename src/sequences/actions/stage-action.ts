import { z } from 'zod'
import type { OneOf } from '../../kernel/one-of.ts'
import { text } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'

/** An action as it is stored: its kind and the one setting of that kind. */
export type StageAction =
  | { readonly kind: 'ADD_TAG' | 'REMOVE_TAG'; readonly tagId: number }
  | { readonly kind: 'ENROL' | 'UNENROL'; readonly sequenceId: number }
  | { readonly kind: 'UNSUBSCRIBE' }
  | { readonly kind: 'WEBHOOK'; readonly url: string }

/** An action as a client sends it. */
export type ActionInput = OneOf<{
  addTagId: string | number
  removeTagId: string | number
  addSequenceId: string | number
  removeSequenceId: string | number
  unsubscribe: boolean
  webhookUrl: string
}>

const id = (type: string, field: keyof ActionInput) =>
  z.union([z.string(), z.number()]).transform((value) => idOf(type, value, `action.${field}`))
const tagId = (field: keyof ActionInput, kind: 'ADD_TAG' | 'REMOVE_TAG') =>
  id('Tag', field).transform((tagId) => ({ kind, tagId }))
const sequenceId = (field: keyof ActionInput, kind: 'ENROL' | 'UNENROL') =>
  id('Sequence', field).transform((sequenceId) => ({ kind, sequenceId }))

/** Validates an action, of which the input has one field, and converts it into its stored form. */
export const StageAction = z
  .object({
    addTagId: tagId('addTagId', 'ADD_TAG'),
    removeTagId: tagId('removeTagId', 'REMOVE_TAG'),
    addSequenceId: sequenceId('addSequenceId', 'ENROL'),
    removeSequenceId: sequenceId('removeSequenceId', 'UNENROL'),
    unsubscribe: z.literal(true, 'must be true').transform(() => ({ kind: 'UNSUBSCRIBE' }) as const),
    webhookUrl: text(2_048).transform((url) => ({ kind: 'WEBHOOK', url }) as const),
  })
  .partial()
  .transform((input): StageAction => Object.values(input)[0] as StageAction)

const contactKinds: readonly (StageAction['kind'] | undefined)[] = ['ADD_TAG', 'REMOVE_TAG', 'UNSUBSCRIBE']

/** Returns whether a stored action changes contacts, so that a key needs the scope for it. */
export function changesContacts(action: Pick<StageAction, 'kind'> | null | undefined): boolean {
  return contactKinds.includes(action?.kind)
}
