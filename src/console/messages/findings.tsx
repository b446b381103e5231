import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Alert, List } from '@mantine/core'
import { sentence } from '../shared/format.ts'
import type { Remark } from './message-blocks.tsx'

/** Something that the check of a campaign or of the e-mail of a stage found. */
interface Finding {
  readonly code: string
  readonly field: keyof typeof labels
  readonly message: string
  readonly path: string | null
}

/** How the fields that messages begin with are named on the screen. */
const labels = {
  CONTENT: msg`The content`,
  HTML: msg`The content`,
  PREHEADER: msg`The preheader`,
  TEXT: msg`The plain text`,
  SUBJECT: msg`The subject`,
  FROM_EMAIL: msg`The from address`,
  AUDIENCE: msg`The audience`,
  SEND_WINDOW: msg`The hours`,
  FREQUENCY_CAP_ACTION: msg`The maximum number of messages`,
  QUIET_HOURS_ACTION: msg`The quiet hours`,
} as const satisfies Readonly<Record<string, MessageDescriptor>>

interface FindingsProps {
  readonly canSend: boolean
  readonly findings: readonly Finding[]
}

/** What a check found. Nothing if that is nothing. */
export function Findings({ canSend, findings }: FindingsProps) {
  if (findings.length === 0) return null
  return (
    <Alert color={canSend ? 'yellow' : 'red'} title={canSend ? t`Before you send` : t`Not ready yet`} py="xs">
      <List size="sm" spacing={2}>
        {findings.map(({ code, field, message }) => (
          <List.Item key={`${code} ${field} ${message}`} className="activity-text">
            {message.replace(/^[a-z]\w*(?= )/, i18n._(labels[field]))}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** What is said at a block of which something was found. */
const remarks: Readonly<Record<string, MessageDescriptor>> = {
  LOW_CONTRAST: msg`The text is hard to read on its background.`,
  BLOCK_INCOMPLETE: msg`A picture or a link is missing. What is missing is not shown.`,
  BLOCK_HIDDEN: msg`No recipient meets its conditions, so none sees it.`,
}

/** Returns the findings about blocks as they are said at the blocks, which need not be named there. */
export function remarksOf(check: { readonly findings: readonly Finding[] } | null): readonly Remark[] {
  return (check?.findings ?? []).flatMap(({ code, path, message }) => {
    const remark = remarks[code]
    return path === null ? [] : [{ path, message: remark ? i18n._(remark) : withoutPlace(message) }]
  })
}

const withoutPlace = (message: string) =>
  sentence(
    message
      .replace(/^content /, '')
      .replace(/(?: at|:) sections\.[\w.]*\d/, '')
      .replace(/\.$/, ''),
  )
