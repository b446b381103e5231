import { Button, Select, Stack } from '@mantine/core'
import {
  ContactEnrolDocument,
  type ContactEnrolmentsFragment,
  ContactUnenrolDocument,
} from '../generated/contacts.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { DataTable } from '../shared/data-table.tsx'
import { useFormat } from '../shared/format.ts'
import { notify } from '../shared/notify.tsx'
import { Status } from '../shared/status.tsx'

interface EnrolmentsProps {
  readonly contact: ContactEnrolmentsFragment
  readonly sequences: readonly { readonly id: string; readonly name: string }[]
}

/** The sequences of a contact. It can be added to others, and removed. */
export function Enrolments({ contact, sequences }: EnrolmentsProps) {
  const format = useFormat()
  const [enrol] = useAction(ContactEnrolDocument)
  const [leave] = useAction(ContactUnenrolDocument)
  const rows = contact.enrolments?.nodes ?? []
  const active = new Set(rows.filter(({ state }) => state === 'ACTIVE').map(({ sequence }) => sequence?.id))
  const report = ({ error }: { error?: string | undefined }) => error && notify(error, 'red')
  const input = (sequenceId: string) => ({ input: { contact: { id: contact.id }, sequenceId } })
  return (
    <Stack gap="sm">
      <DataTable
        label="Sequences"
        rows={rows}
        empty="The contact is in no sequence."
        columns={[
          { key: 'name', title: 'Sequence', render: ({ sequence }) => sequence?.name },
          { key: 'state', title: 'State', render: ({ state }) => <Status value={state} /> },
          {
            key: 'next',
            title: 'Next',
            from: 'sm',
            render: ({ nextStage, dueAt }) =>
              nextStage && `${nextStage.name}${dueAt ? `, ${format.relative(dueAt)}` : ''}`,
          },
          {
            key: 'leave',
            title: '',
            align: 'right',
            render: ({ sequence, state }) =>
              state === 'ACTIVE' &&
              sequence && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  color="red"
                  aria-label={`Remove from ${sequence.name}`}
                  onClick={async () => report(await leave(input(sequence.id)))}
                >
                  Remove
                </Button>
              ),
          },
        ]}
      />
      <Select
        size="xs"
        maw={260}
        searchable
        aria-label="Add to a sequence"
        placeholder="Add to a sequence"
        value={null}
        data={sequences.filter(({ id }) => !active.has(id)).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={async (id) => id && report(await enrol(input(id)))}
      />
    </Stack>
  )
}
