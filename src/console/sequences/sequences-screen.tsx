import { t } from '@lingui/core/macro'
import { Group, Paper } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { SequenceCreateDocument, SequencesDocument } from '../generated/sequences.documents.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable, Pager } from '../shared/tables/data-table.tsx'
import { usePage } from '../shared/tables/use-page.ts'

const liveTypes = [
  'SEQUENCE_CREATED',
  'SEQUENCE_UPDATED',
  'SEQUENCE_DELETED',
  'SEQUENCE_SUBSCRIBED',
  'SEQUENCE_COMPLETED',
] as const

/** The sequences, with the contacts in them and the results of their e-mails. */
export function SequencesScreen() {
  const format = useFormat()
  const { after } = usePage()
  const result = useScreen(SequencesDocument, { after })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload, { isMerged: true })
  return (
    <Screen
      title={t`Sequences`}
      subtitle={t`Messages and actions that follow each other.`}
      result={result}
      actions={<NewSequence />}
    >
      {({ sequences }) => (
        <Paper>
          <DataTable
            label={t`Sequences`}
            rows={sequences?.nodes}
            empty={t`There are no sequences yet.`}
            columns={({ left, right }) => [
              left(t`Sequence`, ({ id, name, archivedAt }) => (
                <Group gap="xs">
                  <RouterAnchor to="/sequences/$id" params={{ id }} size="sm" className="row-link">
                    {name}
                  </RouterAnchor>
                  {archivedAt && <Status value="ARCHIVED" />}
                </Group>
              )),
              right(t`Stages`, ({ stagesCount }) => format.number(stagesCount), 'sm'),
              right(t`In it now`, ({ activeContacts }) => format.number(activeContacts ?? 0)),
              right(t`Sent`, ({ stats }) => format.number(stats?.sent ?? 0), 'sm'),
              right(t`Opened`, ({ stats }) => format.percent(stats?.openRate ?? 0), 'sm'),
              right(t`Clicked`, ({ stats }) => format.percent(stats?.clickRate ?? 0), 'sm'),
            ]}
          />
          <Pager page={sequences} />
        </Paper>
      )}
    </Screen>
  )
}

function NewSequence() {
  const navigate = useNavigate()
  const refusal = useRefusal('SEQUENCES_WRITE')
  const [create, isCreating] = useAction(SequenceCreateDocument)
  const run = async () => {
    const result = await create({ input: { name: t`New sequence` } })
    const id = result.data?.sequenceCreate?.sequence?.id
    if (report(result) && id) await navigate({ to: '/sequences/$id', params: { id } })
  }
  return (
    <ActionButton
      leftSection={<Plus size={14} />}
      loading={isCreating}
      refusal={refusal}
      onClick={() => void run()}
    >{t`New sequence`}</ActionButton>
  )
}
