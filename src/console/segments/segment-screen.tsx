import { t } from '@lingui/core/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Condition, isComplete, toFilter } from '../filters/conditions.ts'
import { FilterBuilder } from '../filters/filter-builder.tsx'
import { fromFilter } from '../filters/stored-filter.ts'
import {
  SegmentDeleteDocument,
  type SegmentDetailsFragment,
  SegmentDocument,
  SegmentUpdateDocument,
} from '../generated/segments.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction, useScreen } from '../graph/use-screen.ts'
import { MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { useDraft } from '../shared/forms/use-draft.ts'
import { changedElsewhere } from '../shared/forms/use-saved.ts'
import { PersonLink, RouterButton } from '../shared/layout/links.tsx'
import { ActionButton, Permitted, useRefusal } from '../shared/layout/permission.tsx'
import { ActionError, Muted, Screen, Section } from '../shared/layout/screen.tsx'
import { Consent } from '../shared/layout/status.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

const route = getRouteApi('/segments/$id')

/** A segment: its conditions, and the contacts that match. */
export function SegmentScreen() {
  const { id } = route.useParams()
  const result = useScreen(SegmentDocument, { id })
  const segment = result.data?.segment
  return (
    <Screen
      title={segment?.name ?? t`Segment`}
      parent={{ to: '/segments', label: t`Segments` }}
      result={result}
      actions={segment && <Actions segment={segment} />}
    >
      {(data) => data.segment && <Content key={id} segment={data.segment} />}
    </Screen>
  )
}

/** Leads to the contacts of a segment, and deletes it. */
function Actions({ segment: { id, databaseId, name } }: { segment: SegmentDetailsFragment }) {
  const navigate = useNavigate()
  const refusal = useRefusal('CONTACTS_WRITE')
  const [remove] = useAction(SegmentDeleteDocument)
  const where = [{ field: 'segments', op: 'any', value: [String(databaseId)] }] as const
  return (
    <>
      <RouterButton variant="default" to="/contacts" search={{ where }}>{t`Open in contacts`}</RouterButton>
      <MoreMenu
        refusal={refusal}
        actions={[
          {
            label: t`Delete`,
            isRed: true,
            question: {
              title: t`Delete “${name}”?`,
              consequence: t`Only the saved conditions are deleted. The contacts stay.`,
            },
            done: t`${name} was deleted.`,
            run: () => remove({ input: { id } }),
            after: () => navigate({ to: '/segments' }),
          },
        ]}
      />
    </>
  )
}

function Content({ segment }: { segment: SegmentDetailsFragment }) {
  const format = useFormat()
  const [update, isSaving] = useAction(SegmentUpdateDocument)
  const stored = fromFilter(segment.filter)
  const draft = useDraft(`${segment.id}:conditions`, JSON.stringify(stored ?? []))
  const conditions = useMemo(() => JSON.parse(draft.text) as readonly Condition[], [draft.text])
  const filter = toFilter(undefined, conditions) ?? {}
  const incomplete = conditions.findIndex((each) => !isComplete(each))
  const differs = JSON.stringify(filter) !== JSON.stringify(toFilter(undefined, stored ?? []) ?? {})
  const isChanged = stored !== undefined && (differs || incomplete >= 0)
  const { id } = segment
  const [save] = useSave(SegmentUpdateDocument, { id }, segment)
  const saveConditions = async () => {
    await draft.send(draft.text, async () => {
      const outcome = await update({ input: { id, filter } })
      report(outcome, t`The segment was saved.`)
      return outcome.error
    })
  }
  return (
    <Stack gap="md">
      <Section title={t`Conditions`} aside={isChanged && <Muted role="status">{t`Not saved`}</Muted>}>
        <Permitted scope="CONTACTS_WRITE">
          <Stack gap="sm">
            <Editable
              label={t`Name`}
              maw={360}
              draftKey={`${id}:name`}
              value={segment.name}
              onSave={(name) => save({ name })}
            />
            {stored ? (
              <FilterBuilder
                isOfSegment
                conditions={conditions}
                onChange={(next) => draft.change(JSON.stringify(next))}
              />
            ) : (
              <Alert color="gray" title={t`These conditions were defined through the API`}>
                <Text size="xs" ff="monospace" className="activity-text">
                  {JSON.stringify(segment.filter)}
                </Text>
              </Alert>
            )}
            {draft.isOutdated && <ActionError>{changedElsewhere()}</ActionError>}
            {stored && (
              <Group>
                <ActionButton
                  disabled={!isChanged}
                  loading={isSaving}
                  refusal={incomplete < 0 ? undefined : t`Condition ${incomplete + 1} needs a value.`}
                  onClick={() => void saveConditions()}
                >
                  {draft.isOutdated ? t`Overwrite` : t`Save conditions`}
                </ActionButton>
                {isChanged && (
                  <Button variant="subtle" color="gray" onClick={() => draft.forget()}>{t`Discard`}</Button>
                )}
              </Group>
            )}
          </Stack>
        </Permitted>
      </Section>
      <Section title={t`Contacts (${format.number(segment.contacts?.totalCount ?? 0)})`} isFlush>
        <DataTable
          label={t`Contacts of the segment`}
          rows={segment.contacts?.nodes}
          empty={t`No contact matches.`}
          columns={({ left }) => [
            left(t`Contact`, (contact) => <PersonLink contact={contact} size="sm" />),
            left(t`E-mail`, ({ email }) => email, 'sm'),
            left(
              t({ message: 'Place', context: 'of a contact' }),
              ({ city, country }) => [city, country].filter(Boolean).join(', '),
              'sm',
            ),
            left(t`Marketing`, ({ emailMarketing }) => <Consent isGiven={emailMarketing} />),
          ]}
        />
      </Section>
    </Stack>
  )
}
