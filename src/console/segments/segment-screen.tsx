import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Condition, fromFilter, toFilter } from '../filters/conditions.ts'
import { FilterBuilder } from '../filters/filter-builder.tsx'
import {
  SegmentDeleteDocument,
  type SegmentDetailsFragment,
  SegmentDocument,
  type SegmentQuery,
  SegmentUpdateDocument,
} from '../generated/segments.documents.ts'
import { reasonOf, useAction, useScreen } from '../graph/use-screen.ts'
import { DataTable } from '../shared/data-table.tsx'
import { Editable } from '../shared/editable.tsx'
import { personName, useFormat } from '../shared/format.ts'
import { RouterAnchor } from '../shared/links.tsx'
import { notify } from '../shared/notify.tsx'
import { Screen, Section } from '../shared/screen.tsx'
import { Consent } from '../shared/status.tsx'

const route = getRouteApi('/segments/$id')

/** A segment: its conditions, and the contacts that match. */
export function SegmentScreen() {
  const { id } = route.useParams()
  const navigate = useNavigate()
  const result = useScreen(SegmentDocument, { id })
  const [remove, isRemoving] = useAction(SegmentDeleteDocument)
  const segment = result.data?.segment
  const drop = async () => {
    if (!confirm(`Delete ${segment?.name}?`)) return
    const { error } = await remove({ input: { id } })
    if (error !== undefined) return notify(error, 'red')
    await navigate({ to: '/segments' })
  }
  return (
    <Screen
      title={segment?.name ?? 'Segment'}
      parent={{ to: '/segments', label: 'Segments' }}
      result={result}
      actions={
        segment && (
          <Button variant="default" color="red" loading={isRemoving} onClick={() => void drop()}>
            Delete
          </Button>
        )
      }
    >
      {(data) => data.segment && <Content key={id} segment={data.segment} choices={data} />}
    </Screen>
  )
}

function Content({ segment, choices }: { segment: SegmentDetailsFragment; choices: SegmentQuery }) {
  const format = useFormat()
  const [update, isSaving] = useAction(SegmentUpdateDocument)
  const stored = fromFilter(segment.filter)
  const [conditions, setConditions] = useState<readonly Condition[]>(stored ?? [])
  const filter = toFilter(undefined, conditions) ?? {}
  const isChanged = stored !== undefined && JSON.stringify(filter) !== JSON.stringify(toFilter(undefined, stored) ?? {})
  const { id } = segment
  const save = async () => {
    const { error } = await update({ input: { id, filter } })
    notify(error ?? 'The segment was saved.', error === undefined ? 'teal' : 'red')
  }
  return (
    <Stack gap="md">
      <Section title="Conditions">
        <Stack gap="sm">
          <Editable
            label="Name"
            maw={360}
            draftKey={`${id}:name`}
            value={segment.name}
            onSave={async (name) => reasonOf(await update({ input: { id, name } }), 'name')}
          />
          {stored ? (
            <FilterBuilder conditions={conditions} choices={choices} onChange={setConditions} />
          ) : (
            <Alert color="gray" title="These conditions were defined through the API">
              <Text size="xs" ff="monospace" className="activity-text">
                {JSON.stringify(segment.filter)}
              </Text>
            </Alert>
          )}
          {stored && (
            <Group>
              <Button disabled={!isChanged} loading={isSaving} onClick={() => void save()}>
                Save conditions
              </Button>
            </Group>
          )}
        </Stack>
      </Section>
      <Section title={`Contacts (${format.number(segment.contacts?.totalCount ?? 0)})`} isFlush>
        <DataTable
          label="Contacts of the segment"
          rows={segment.contacts?.nodes ?? []}
          empty="No contact matches."
          columns={[
            {
              key: 'name',
              title: 'Contact',
              render: (contact) => (
                <RouterAnchor to="/contacts/$id" params={{ id: contact.id }} size="sm" className="row-link">
                  {personName(contact)}
                </RouterAnchor>
              ),
            },
            { key: 'email', title: 'E-mail', from: 'sm', render: ({ email }) => email },
            {
              key: 'place',
              title: 'Place',
              from: 'sm',
              render: ({ city, country }) => [city, country].filter(Boolean).join(', '),
            },
            {
              key: 'mail',
              title: 'Marketing',
              render: ({ emailMarketing }) => <Consent isGiven={emailMarketing} />,
            },
          ]}
        />
      </Section>
    </Stack>
  )
}
