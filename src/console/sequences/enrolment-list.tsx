import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { SimpleGrid } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { SequenceQuery } from '../generated/sequences.documents.ts'
import { Figure } from '../shared/figures/figures.tsx'
import { useFormat } from '../shared/format.ts'
import { PersonLink, RouterAnchor } from '../shared/layout/links.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { type EnrolmentListName, enrolmentLists } from './sequence-search.ts'

type Sequence = NonNullable<SequenceQuery['sequence']>

const route = getRouteApi('/sequences/$id')
const names = Object.keys(enrolmentLists) as EnrolmentListName[]

/** How many contacts are in the sequence, and how the others left it. Each figure leads to its list. */
export function EnrolmentFigures({ sequence: { id, enrolmentCounts: counts } }: { sequence: Sequence }) {
  const format = useFormat()
  const { show = 'active' } = route.useSearch()
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {names.map((name) => (
        <Figure
          key={name}
          label={
            <RouterAnchor
              to="/sequences/$id"
              params={{ id }}
              search={{ show: name }}
              hash="contacts"
              size="xs"
              aria-current={show === name || undefined}
            >
              {i18n._(enrolmentLists[name].label)}
            </RouterAnchor>
          }
          value={counts ? format.number(counts[name]) : '–'}
          note={
            name === 'active' &&
            counts &&
            counts.waiting > 0 &&
            t`${format.number(counts.waiting)} without a next stage`
          }
        />
      ))}
    </SimpleGrid>
  )
}

/** The contacts that the chosen figure counts. */
export function EnrolmentList({ sequence: { databaseId, enrolments } }: { sequence: Sequence }) {
  const format = useFormat()
  const { show = 'active' } = route.useSearch()
  const label = i18n._(enrolmentLists[show].label)
  const where = [{ field: 'sequences', op: 'any', value: [String(databaseId)] }] as const
  return (
    <Section
      id="contacts"
      title={enrolments ? `${label} (${format.number(enrolments.totalCount)})` : label}
      aside={
        show === 'active' && (
          <RouterAnchor to="/contacts" search={{ where }} size="xs">{t`Open in contacts`}</RouterAnchor>
        )
      }
      isFlush
    >
      <DataTable
        label={t`Contacts: ${label}`}
        rows={enrolments?.nodes}
        empty={i18n._(enrolmentLists[show].none)}
        columns={({ left, right }) => [
          left(t`Contact`, ({ contact }) =>
            contact ? <PersonLink contact={contact} size="sm" /> : t`A contact that was deleted`,
          ),
          ...(show === 'active'
            ? [
                left(
                  t({ message: 'Next', context: 'stage' }),
                  ({ nextStage }) => nextStage?.name ?? <Muted>{t`Waits until a stage is added or active`}</Muted>,
                  'xs',
                ),
                right(t`Due`, ({ dueAt }) => dueAt && format.relative(dueAt)),
              ]
            : [right(t`Ended`, ({ endedAt }) => endedAt && format.dateTime(endedAt))]),
        ]}
      />
    </Section>
  )
}
