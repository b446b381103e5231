import { t } from '@lingui/core/macro'
import { Button, Stack } from '@mantine/core'
import {
  ContactEnrolDocument,
  type ContactEnrolmentsFragment,
  ContactUnenrolDocument,
} from '../generated/contacts.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { PickOne } from '../pickers/picker.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Status } from '../shared/layout/status.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

/** The sequences of a contact. It can be added to others, and removed. */
export function Enrolments({ contact }: { contact: ContactEnrolmentsFragment }) {
  const format = useFormat()
  const [enrol] = useAction(ContactEnrolDocument)
  const [leave] = useAction(ContactUnenrolDocument)
  const rows = contact.enrolments?.nodes
  const input = (sequenceId: string) => ({ input: { contact: { id: contact.id }, sequenceId } })
  return (
    <Stack gap="sm">
      <DataTable
        label={t`Sequences`}
        rows={rows}
        empty={t`The contact is in no sequence.`}
        columns={({ left, right }) => [
          left(t`Sequence`, ({ sequence }) => sequence?.name),
          left(t`State`, ({ state }) => <Status value={state} />),
          left(
            t({ message: 'Next', context: 'stage' }),
            ({ nextStage, dueAt }) =>
              nextStage && [nextStage.name, dueAt && format.relative(dueAt)].filter(Boolean).join(', '),
            'sm',
          ),
          right(
            '',
            ({ sequence, state }) =>
              state === 'ACTIVE' &&
              sequence && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  color="red"
                  aria-label={t`Remove from ${sequence.name}`}
                  onClick={async () => void report(await leave(input(sequence.id)))}
                >{t`Remove`}</Button>
              ),
          ),
        ]}
      />
      <PickOne
        kind="sequences"
        maw={260}
        aria-label={t`Add to a sequence`}
        placeholder={t`Add to a sequence`}
        onPick={async (id) => report(await enrol(input(id)))}
      />
    </Stack>
  )
}
