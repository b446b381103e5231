import { t } from '@lingui/core/macro'
import { Badge } from '@mantine/core'
import { words } from '../format.ts'

const colors: Readonly<Record<string, string>> = {
  SENDING: 'blue',
  SCHEDULED: 'violet',
  SENT: 'teal',
  ERROR: 'red',
  PUBLISHED: 'teal',
  ACTIVE: 'teal',
  COMPLETED: 'teal',
  PAID: 'teal',
  HOT: 'red',
  WARM: 'orange',
  COLD: 'blue',
  WAITING: 'yellow',
  PAYMENT_DUE: 'yellow',
  PARTIALLY_PAID: 'yellow',
  BOUNCED: 'red',
  FAILED: 'red',
  REFUNDED: 'orange',
  RUNNING: 'blue',
}

/** The status of a record, in its colour. */
export function Status({ value }: { value: string }) {
  return (
    <Badge color={colors[value] ?? 'gray'} miw="max-content">
      {words(value)}
    </Badge>
  )
}

/** Whether a contact accepts marketing by e-mail. */
export function Consent({ isGiven }: { isGiven: boolean }) {
  return (
    <Badge color={isGiven ? 'teal' : 'gray'} miw="max-content">
      {isGiven ? t`Accepted` : t`Not accepted`}
    </Badge>
  )
}
