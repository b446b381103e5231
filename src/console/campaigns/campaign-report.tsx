import { Anchor, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useSubscription } from 'urql'
import {
  CampaignPauseDocument,
  CampaignProgressDocument,
  type CampaignQuery,
  CampaignResumeDocument,
} from '../generated/campaigns.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { DataTable } from '../shared/data-table.tsx'
import { Bar, Figure, SeriesPlot } from '../shared/figures.tsx'
import { useFormat } from '../shared/format.ts'
import { PersonLink, RouterAnchor } from '../shared/links.tsx'
import { Permitted } from '../shared/permission.tsx'
import { Preview } from '../shared/preview.tsx'
import { report } from '../shared/report.ts'
import { Columns, Section } from '../shared/screen.tsx'
import { namedSeries } from '../shared/series.ts'

type Campaign = NonNullable<CampaignQuery['campaign']>

/** What came of a campaign. While it is being sent, the numbers follow its progress. */
export function CampaignReport({ campaign }: { campaign: Campaign }) {
  const format = useFormat()
  const { id, databaseId, status, stats, recipientCounts, links, recipients } = campaign
  // The cache stores the numbers with the campaign, where this component reads them.
  useSubscription({ query: CampaignProgressDocument, variables: { id }, pause: status !== 'SENDING' })
  const clicked = [{ field: 'campaignsClicked', op: 'any', value: [String(databaseId)] }] as const
  const failed = recipientCounts.failed + recipientCounts.unknown
  return (
    <Stack gap="md">
      {status === 'SENDING' && (
        <Permitted scope="CAMPAIGNS_WRITE">
          <Sending campaign={campaign} />
        </Permitted>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }} spacing="sm">
        <Figure label="Sent" value={format.number(stats.sent)} />
        <Figure label="Opened" value={format.percent(stats.openRate)} note={format.number(stats.opened)} />
        <Figure label="Clicked" value={format.percent(stats.clickRate)} note={format.number(stats.clicked)} />
        <Figure
          label="Unsubscribed"
          value={format.percent(stats.unsubscribeRate)}
          note={format.number(stats.unsubscribed)}
        />
        <Figure label="Bounced" value={format.number(stats.bounced)} />
        <Figure label="Failed" value={format.number(failed)} />
      </SimpleGrid>
      <Columns first={7}>
        <Stack gap="md">
          <Section title="Opens and clicks, 30 days">
            <SeriesPlot
              label="Opens and clicks"
              series={namedSeries({ Opened: campaign.opens, Clicked: campaign.clicks })}
            />
          </Section>
          <Section title="Message">
            <Preview title="Message" html={campaign.email?.preview?.html ?? ''} />
          </Section>
        </Stack>
        <Stack gap="md">
          <Section title="Links" isFlush>
            <DataTable
              label="Links"
              rows={links.map((link) => ({ id: link.url, ...link }))}
              empty="The message has no links that were clicked."
              columns={({ left, right }) => [
                left('Link', ({ url }) => (
                  <Anchor href={url} size="sm" target="_blank" rel="noopener noreferrer" className="activity-text">
                    {url.replace(/^https?:\/\//, '')}
                  </Anchor>
                )),
                right('People', ({ uniqueClicks }) => format.number(uniqueClicks)),
              ]}
            />
          </Section>
          <Section
            title={`Clicked (${format.number(recipients.totalCount)})`}
            aside={
              <RouterAnchor to="/contacts" search={{ where: clicked }} size="xs">
                Open in contacts
              </RouterAnchor>
            }
            isFlush
          >
            <DataTable
              label="Contacts who clicked"
              rows={recipients.nodes}
              empty="No contact has clicked yet."
              columns={({ left, right }) => [
                left('Contact', ({ contact }) => contact && <PersonLink contact={contact} size="sm" />),
                right('Time', ({ clickedAt }) => clickedAt && format.dateTime(clickedAt)),
              ]}
            />
          </Section>
        </Stack>
      </Columns>
    </Stack>
  )
}

function Sending({ campaign: { id, name, sentTo, recipientsCount, pausedAt } }: { campaign: Campaign }) {
  const format = useFormat()
  const [pause, isPausing] = useAction(CampaignPauseDocument)
  const [resume, isResuming] = useAction(CampaignResumeDocument)
  const run = async () => {
    report(await (pausedAt ? resume : pause)({ input: { id } }))
  }
  return (
    <Section title={pausedAt ? 'Paused' : 'Sending'}>
      <Group gap="sm" wrap="nowrap">
        <Bar
          size="md"
          flex={1}
          animated={!pausedAt}
          value={sentTo}
          of={recipientsCount}
          label={`Progress of ${name}`}
        />
        <Text size="sm">
          {format.number(sentTo)} of {format.number(recipientsCount)}
        </Text>
        <Button variant="default" loading={isPausing || isResuming} onClick={() => void run()}>
          {pausedAt ? 'Resume' : 'Pause'}
        </Button>
      </Group>
    </Section>
  )
}
