import { SimpleGrid, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { SequenceDocument, type SequenceQuery, SequenceUpdateDocument } from '../generated/sequences.documents.ts'
import { useLive, useSave, useScreen } from '../graph/use-screen.ts'
import { DataTable } from '../shared/data-table.tsx'
import { Editable, EditableSelect } from '../shared/editable.tsx'
import { Figure, SeriesPlot } from '../shared/figures.tsx'
import { useFormat } from '../shared/format.ts'
import { PersonLink } from '../shared/links.tsx'
import { Permitted } from '../shared/permission.tsx'
import { Columns, Screen, Section } from '../shared/screen.tsx'
import { namedSeries } from '../shared/series.ts'
import { Status } from '../shared/status.tsx'
import { SequenceActions } from './sequence-actions.tsx'
import { Stages } from './stages.tsx'

const route = getRouteApi('/sequences/$id')

type Sequence = NonNullable<SequenceQuery['sequence']>

/** A sequence: its stages in order with their figures, and the contacts in it. */
export function SequenceScreen() {
  const { id } = route.useParams()
  const result = useScreen(SequenceDocument, { id })
  useLive(result.data?.eventCursor, { sequenceIds: [id] }, result.reload)
  const sequence = result.data?.sequence
  return (
    <Screen
      title={sequence?.name ?? 'Sequence'}
      subtitle={sequence?.archivedAt && <Status value="ARCHIVED" />}
      parent={{ to: '/sequences', label: 'Sequences' }}
      result={result}
      actions={sequence && <SequenceActions sequence={sequence} />}
    >
      {(data) => data.sequence && <Content sequence={data.sequence} />}
    </Screen>
  )
}

function Content({ sequence }: { sequence: Sequence }) {
  const format = useFormat()
  const { enrolmentCounts: counts, sends, opens } = sequence
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure label="In it now" value={format.number(counts?.active ?? 0)} />
        <Figure label="Completed" value={format.number(counts?.completed ?? 0)} />
        <Figure label="Unsubscribed" value={format.number(counts?.unsubscribed ?? 0)} />
        <Figure label="Removed" value={format.number(counts?.removed ?? 0)} />
      </SimpleGrid>
      <Columns first={7}>
        <Permitted scope="SEQUENCES_WRITE">
          <Stages sequence={sequence} />
        </Permitted>
        <Stack gap="md">
          <Permitted scope="SEQUENCES_WRITE" isSilent>
            <Settings sequence={sequence} />
          </Permitted>
          <Section title="Sent and opened">
            <SeriesPlot label="Sent and opened" series={namedSeries({ Sent: sends, Opened: opens })} />
          </Section>
          <Enrolments sequence={sequence} />
        </Stack>
      </Columns>
    </Stack>
  )
}

function Settings({ sequence: { id, name, type } }: { sequence: Sequence }) {
  const [save] = useSave(SequenceUpdateDocument, { id })
  return (
    <Section title="Sequence">
      <Stack gap="sm">
        <Editable
          label="Name"
          description="Contacts do not see it."
          draftKey={`${id}:name`}
          value={name}
          onSave={(name) => save({ name })}
        />
        <EditableSelect
          label="Delays count"
          value={type}
          data={[
            { value: 'NORMAL', label: 'From the stage before' },
            { value: 'INVERTED', label: 'Back from a date' },
          ]}
          onSave={(value) => save({ type: value as Sequence['type'] })}
        />
      </Stack>
    </Section>
  )
}

function Enrolments({ sequence: { enrolments } }: { sequence: Sequence }) {
  const format = useFormat()
  return (
    <Section title={`In it now (${format.number(enrolments?.totalCount ?? 0)})`} isFlush>
      <DataTable
        label="Contacts in the sequence"
        rows={enrolments?.nodes}
        empty="No contact is in the sequence."
        columns={({ left, right }) => [
          left('Contact', ({ contact }) => contact && <PersonLink contact={contact} size="sm" />),
          left('Next', ({ nextStage }) => nextStage?.name, 'xs'),
          right('Due', ({ dueAt }) => dueAt && format.relative(dueAt)),
        ]}
      />
    </Section>
  )
}
