import { t } from '@lingui/core/macro'
import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import {
  SequenceDocument,
  type SequenceQuery,
  type SequenceQueryVariables,
  SequenceUpdateDocument,
} from '../generated/sequences.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { Plot } from '../shared/figures/plot.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { Editable, EditableSelect } from '../shared/forms/editable.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Columns, Screen, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { EnrolmentFigures, EnrolmentList } from './enrolment-list.tsx'
import { SequenceActions } from './sequence-actions.tsx'
import { enrolmentLists } from './sequence-search.ts'
import { Stages } from './stages.tsx'

const route = getRouteApi('/sequences/$id')

type Sequence = NonNullable<SequenceQuery['sequence']>

/** A sequence: its stages in order with their figures, and the contacts in it. */
export function SequenceScreen() {
  const { id } = route.useParams()
  const { show = 'active' } = route.useSearch()
  const shown = enrolmentLists[show].filter as SequenceQueryVariables['shown']
  const result = useScreen(SequenceDocument, { id, shown })
  useLive(result.data?.eventCursor, { sequenceIds: [id] }, result.reload)
  const sequence = result.data?.sequence
  return (
    <Screen
      title={sequence?.name ?? t`Sequence`}
      subtitle={sequence?.archivedAt && <Status value="ARCHIVED" />}
      parent={{ to: '/sequences', label: t`Sequences` }}
      result={result}
      actions={sequence && <SequenceActions sequence={sequence} />}
    >
      {(data) => data.sequence && <Content sequence={data.sequence} />}
    </Screen>
  )
}

function Content({ sequence }: { sequence: Sequence }) {
  const { sends, opens } = sequence
  return (
    <Stack gap="md">
      <EnrolmentFigures sequence={sequence} />
      <Columns first={7}>
        <Permitted scope="SEQUENCES_WRITE">
          <Stages sequence={sequence} />
        </Permitted>
        <Stack gap="md">
          <Permitted scope="SEQUENCES_WRITE" isSilent>
            <Settings sequence={sequence} />
          </Permitted>
          <Section title={t`Sent and opened, 30 days`}>
            <Plot label={t`Sent and opened`} series={namedSeries({ [t`Sent`]: sends, [t`Opened`]: opens })} />
          </Section>
          <EnrolmentList sequence={sequence} />
        </Stack>
      </Columns>
    </Stack>
  )
}

function Settings({ sequence }: { sequence: Sequence }) {
  const { id, name, type } = sequence
  const [save] = useSave(SequenceUpdateDocument, { id }, sequence)
  return (
    <Section title={t`Sequence`}>
      <Stack gap="sm">
        <Editable
          label={t`Name`}
          description={t`Contacts do not see it.`}
          draftKey={`${id}:name`}
          value={name}
          onSave={(name) => save({ name })}
        />
        <EditableSelect
          label={t`Delays count`}
          value={type}
          data={[
            { value: 'NORMAL', label: t`From the stage before` },
            { value: 'INVERTED', label: t`Back from a date` },
          ]}
          onSave={(value) => save({ type: value as Sequence['type'] })}
        />
      </Stack>
    </Section>
  )
}
