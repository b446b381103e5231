import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import type { CampaignQuery } from '../generated/campaigns.documents.ts'
import { Figure } from '../shared/figures/figures.tsx'
import { useFormat, words } from '../shared/format.ts'
import { PersonLink, RouterAnchor } from '../shared/layout/links.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { type RecipientListName, recipientLists } from './campaign-search.ts'

type Campaign = NonNullable<CampaignQuery['campaign']>
type Recipient = Campaign['recipients']['nodes'][number]

const route = getRouteApi('/campaigns/$id')

/** A figure of the report, which leads to the messages that it counts. */
export function RecipientFigure(props: { list: RecipientListName; value: string; note?: string }) {
  const { list, ...figure } = props
  const { id } = route.useParams()
  const { show = 'clicked' } = route.useSearch()
  const { label } = recipientLists[list]
  const link = (
    <RouterAnchor
      to="/campaigns/$id"
      params={{ id }}
      search={{ show: list }}
      hash="messages"
      size="xs"
      aria-current={show === list || undefined}
    >
      {i18n._(label)}
    </RouterAnchor>
  )
  return <Figure label={link} {...figure} />
}

const timeOf: Readonly<Record<RecipientListName, (recipient: Recipient) => string | null>> = {
  sent: ({ sentAt }) => sentAt,
  opened: ({ openedAt }) => openedAt,
  clicked: ({ clickedAt }) => clickedAt,
  unsubscribed: ({ unsubscribedAt }) => unsubscribedAt,
  bounced: ({ failedAt }) => failedAt,
  failed: ({ failedAt }) => failedAt,
}

/** The messages of a campaign that the chosen figure counts. */
export function RecipientList({ campaign: { databaseId, recipients } }: { campaign: Campaign }) {
  const format = useFormat()
  const { show = 'clicked' } = route.useSearch()
  const { label: name, empty, condition } = recipientLists[show]
  const label = i18n._(name)
  const where = condition && ([{ field: condition, op: 'any', value: [String(databaseId)] }] as const)
  const { totalCount, nodes } = recipients
  return (
    <Section
      id="messages"
      title={`${label} (${format.number(totalCount)})`}
      aside={where && <RouterAnchor to="/contacts" search={{ where }} size="xs">{t`Open in contacts`}</RouterAnchor>}
      isFlush
    >
      <DataTable
        label={t`Contacts: ${label}`}
        rows={nodes}
        empty={i18n._(empty)}
        columns={({ left, right }) => [
          left(t`Contact`, ({ contact }) =>
            contact ? <PersonLink contact={contact} size="sm" /> : t`A contact that was deleted`,
          ),
          ...(show === 'bounced' || show === 'failed'
            ? [
                left(t`Cause`, ({ failureCause }) => failureCause && words(failureCause)),
                left(t`Reason`, ({ answer }) => answer),
              ]
            : []),
          right(t`Time`, (recipient) => {
            const time = timeOf[show](recipient)
            return time && format.dateTime(time)
          }),
        ]}
      />
      {totalCount > nodes.length && (
        <Muted px="md" py="xs">{t`The first ${format.number(nodes.length)} of ${format.number(totalCount)}`}</Muted>
      )}
    </Section>
  )
}
