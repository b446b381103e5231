import { t } from '@lingui/core/macro'
import { createContext, useContext } from 'react'
import { contactTexts } from '../../generated/text-fields.documents.ts'

/** A merge field: its name in messages, and what people call it. */
export interface MergeField {
  readonly name: string
  readonly label: string
}

/** The custom fields of the account, by their merge fields. */
export const CustomFields = createContext<readonly MergeField[]>([])

const contactFields: readonly MergeField[] = contactTexts.map(({ mergeField, label }) => ({ name: mergeField, label }))
const messageFields = (): readonly MergeField[] => [{ name: 'TODAY_DATE', label: t`Date of sending` }]

/** Links that the product makes for each message. Their text becomes part of the message. */
const messageLinks = (): readonly MessageLink[] => [
  { href: '{{UNSUBSCRIBE_URL}}', label: t`Unsubscribe`, text: 'Unsubscribe' },
  { href: '{{VIEW_URL}}', label: t`Read in the browser`, text: 'Read in the browser' },
]

/** A link that differs in each message. */
interface MessageLink {
  readonly href: string
  readonly label: string
  readonly text: string
}

/** Returns the links that the message can have. */
export const MessageLinks = createContext<() => readonly MessageLink[]>(messageLinks)

/** Returns the merge fields in groups for a menu. */
export function useMergeFields() {
  const custom = useContext(CustomFields)
  return [
    { group: t`Contact`, fields: contactFields },
    ...(custom.length > 0 ? [{ group: t`Custom fields`, fields: custom }] : []),
    { group: t`Message`, fields: messageFields() },
  ]
}

/** Returns what people call a merge field. */
export function useFieldLabel(name: string): string {
  const all = useMergeFields().flatMap(({ fields }) => fields)
  return all.find((each) => each.name === name)?.label ?? name.replace(/^FIELD\./, '')
}
