import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { useSubscription } from 'urql'
import {
  LiveActivityDocument,
  OverviewDocument,
  type OverviewQuery,
  type SendingCampaignFragment,
} from '../generated/overview.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { Bar, SeriesFigure } from '../shared/figures/figures.tsx'
import { Plot } from '../shared/figures/plot.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { useFormat } from '../shared/format.ts'
import { PersonLink, RouterAnchor } from '../shared/layout/links.tsx'
import { Listed } from '../shared/layout/listed.tsx'
import { Columns, Muted, Screen, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { type ActivityEvent, ActivityList, activityTypes } from './activity.tsx'
import { ZoneQuestion } from './zone-question.tsx'

type Period = 'LAST_7_DAYS' | 'LAST_30_DAYS'

const firstPeriod = 'LAST_30_DAYS'

/** Events that change revenue and orders. */
const soldTypes = ['ORDER_COMPLETED', 'ORDER_REFUNDED', 'ORDER_PARTIALLY_REFUNDED'] as const

export const screenQuery = () => [OverviewDocument, { period: firstPeriod, types: activityTypes }] as const

/** Figures of the account, what is being sent, and what happens now. */
export function OverviewScreen() {
  const [period, setPeriod] = useState<Period>(firstPeriod)
  const result = useScreen(OverviewDocument, { period, types: activityTypes })
  useLive(result.data?.eventCursor, { types: [...soldTypes] }, result.reload)
  return (
    <Screen
      title={t`Overview`}
      result={result}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t`Period`}
          value={period}
          onChange={(value) => setPeriod(value as Period)}
          data={[
            { value: 'LAST_7_DAYS', label: t`7 days` },
            { value: 'LAST_30_DAYS', label: t`30 days` },
          ]}
        />
      }
    >
      {(data) => <Content data={data} />}
    </Screen>
  )
}

function Content({ data }: { data: OverviewQuery }) {
  const { account, sending, lastSent, hot } = data
  const format = useFormat()
  const mail = namedSeries({
    [t`Sent`]: account?.sends,
    [t`Opened`]: account?.opens,
    [t`Clicked`]: account?.clicks,
  })
  return (
    <Stack gap="md">
      {account && account.timezone === null && <ZoneQuestion />}
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <SeriesFigure label={t`New contacts`} series={account?.newContacts} />
        <SeriesFigure label={t`Revenue`} series={account?.revenue} />
        <SeriesFigure label={t`E-mails sent`} series={account?.sends} />
        <SeriesFigure label={t`Orders`} series={account?.orders} />
      </SimpleGrid>
      <Columns first={8}>
        <Stack gap="md">
          <Section title={t`E-mail`}>
            <Plot label={t`E-mail`} series={mail} />
          </Section>
          <Section
            title={t`Campaigns`}
            aside={<RouterAnchor to="/campaigns" size="xs">{t`All campaigns`}</RouterAnchor>}
          >
            <Listed
              items={sending && lastSent && [...sending.nodes, ...lastSent.nodes]}
              empty={t`No campaign was sent yet.`}
            >
              {() => (
                <Stack gap="xs">
                  {sending?.nodes.map((campaign) => (
                    <Sending key={campaign.id} campaign={campaign} />
                  ))}
                  {lastSent?.nodes.map(({ stats, ...campaign }) => (
                    <Group key={campaign.id} justify="space-between" gap="0 var(--mantine-spacing-sm)">
                      <CampaignName campaign={campaign} />
                      <Muted className="activity-time">
                        <Trans>
                          {format.number(stats.sent)} sent · {format.percent(stats.openRate)} opened ·{' '}
                          {format.percent(stats.clickRate)} clicked
                        </Trans>
                      </Muted>
                    </Group>
                  ))}
                </Stack>
              )}
            </Listed>
          </Section>
        </Stack>
        <Stack gap="md">
          <Section title={t`Activity`} aside={<Muted>{t({ message: 'Live', context: 'activity' })}</Muted>}>
            <LiveActivity data={data} />
          </Section>
          <Section title={t`Hot leads`}>
            <Listed items={hot?.nodes} empty={t`No lead is hot at present.`}>
              {(leads) => (
                <Stack gap={6}>
                  {leads.map(({ id, contact, form, score, createdAt }) => (
                    <Group key={id} justify="space-between" wrap="nowrap" gap="sm">
                      <Text size="sm" truncate>
                        {contact ? <PersonLink contact={contact} /> : t`Unknown person`}{' '}
                        <Muted span>{form?.name}</Muted>
                      </Text>
                      <Muted className="activity-time" title={format.dateTime(createdAt)}>
                        {plural(score, { one: '# point', other: '# points' })}
                      </Muted>
                    </Group>
                  ))}
                </Stack>
              )}
            </Listed>
          </Section>
          <Quota data={data} />
        </Stack>
      </Columns>
    </Stack>
  )
}

function CampaignName({ campaign }: { campaign: SendingCampaignFragment }) {
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <Text size="sm" truncate>
        <RouterAnchor to="/campaigns/$id" params={{ id: campaign.id }} className="row-link">
          {campaign.name}
        </RouterAnchor>
      </Text>
      <Status value={campaign.status} />
    </Group>
  )
}

function Sending({ campaign }: { campaign: SendingCampaignFragment }) {
  const format = useFormat()
  const { sentTo, recipientsCount, status, scheduledFor } = campaign
  return (
    <div>
      <Group justify="space-between" gap="0 var(--mantine-spacing-sm)">
        <CampaignName campaign={campaign} />
        <Muted className="activity-time">
          {status === 'SCHEDULED' && scheduledFor
            ? format.dateTime(scheduledFor)
            : t`${format.number(sentTo)} of ${format.number(recipientsCount)}`}
        </Muted>
      </Group>
      {status === 'SENDING' && (
        <Bar mt={4} value={sentTo} of={recipientsCount} label={t`Progress of ${campaign.name}`} />
      )}
    </div>
  )
}

const shownEvents = 12

function LiveActivity({ data }: { data: OverviewQuery }) {
  const after = useRef(data.eventCursor)
  const [{ data: live }] = useSubscription<{ events: ActivityEvent }, ActivityEvent[]>(
    { query: LiveActivityDocument, variables: { after: after.current, types: activityTypes }, pause: !after.current },
    (events: ActivityEvent[] | undefined, { events: event }) => [event, ...(events ?? [])].slice(0, shownEvents),
  )
  const events = useMemo(() => {
    if (!live && !data.events) return undefined
    const all = [...(live ?? []), ...(data.events?.nodes ?? [])]
    return [...new Map(all.map((event) => [event.cursor, event])).values()]
      .sort((one, other) => other.occurredAt.localeCompare(one.occurredAt))
      .slice(0, shownEvents)
  }, [live, data.events])
  return <ActivityList events={events} />
}

function Quota({ data: { account } }: { data: OverviewQuery }) {
  const format = useFormat()
  const quotas = [
    { label: t`Contacts`, ...account?.quota.contacts },
    { label: t`Recipients this month`, ...account?.quota.monthlyRecipients },
  ].filter(({ limit }) => typeof limit === 'number')
  if (quotas.length === 0) return null
  return (
    <Section title={t({ message: 'Plan', context: 'limits of the account' })}>
      <Stack gap="xs">
        {quotas.map(({ label, used = 0, limit }) => (
          <div key={label}>
            <Group justify="space-between">
              <Text size="xs">{label}</Text>
              <Muted>{t`${format.number(used)} of ${format.number(limit ?? 0)}`}</Muted>
            </Group>
            <Bar value={used} of={limit ?? 1} label={label} />
          </div>
        ))}
      </Stack>
    </Section>
  )
}
