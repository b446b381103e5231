import type { Email } from '../../../prisma/generated/client/client.ts'
import type { BodyConditions, CheckedBody } from './body-input.ts'

// What changes with the body of an e-mail besides its documents.

/** Returns whether the text is not that of the blocks. A document that is compiled again comes without the text that is kept. */
export function ownTextOf(before: Email, text: string | undefined, content: CheckedBody['content']) {
  if (content === null || (content && text !== undefined)) return { hasOwnText: false }
  return content === undefined && text !== undefined ? { hasOwnText: before.contentDocumentId !== null } : {}
}

/** Returns the conditions under which parts of an e-mail are shown. */
export function conditionsOf({ conditions }: Email): BodyConditions {
  return conditions as unknown as BodyConditions
}

/** Returns the conditions that a new body has. A text of its own is shown to all contacts. */
export function changeOfConditions(
  before: Email,
  text: string | null | undefined,
  conditions: BodyConditions | undefined,
) {
  const stored = conditionsOf(before)
  if (conditions === undefined && typeof text !== 'string') return {}
  const next = conditions === undefined ? { ...stored, text: [] } : conditions
  const isChanged = JSON.stringify(next.filters) !== JSON.stringify(stored.filters)
  return {
    conditions: JSON.parse(JSON.stringify(next)),
    ...(isChanged && { conditionsVersion: before.conditionsVersion + 1 }),
  }
}
