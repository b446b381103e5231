import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useSubscription } from 'urql'
import {
  CampaignPauseDocument,
  CampaignProgressDocument,
  type CampaignQuery,
  CampaignResumeDocument,
} from '../generated/campaigns.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { Bar, SeriesPlot } from '../shared/figures/figures.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { useFormat } from '../shared/format.ts'
import { Permitted } from '../shared/layout/permission.tsx'
import { Preview } from '../shared/layout/preview.tsx'
import { Columns, Section } from '../shared/layout/screen.tsx'
import { LinkList } from './link-list.tsx'
import { RecipientFigure, RecipientList } from './recipient-list.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

/** What came of a campaign. While it is being sent, the numbers follow its progress. */
export function CampaignReport({ campaign }: { campaign: Campaign }) {
  const format = useFormat()
  const { id, status, stats, recipientCounts } = campaign
  // The cache stores the numbers with the campaign, where this component reads them.
  useSubscription({ query: CampaignProgressDocument, variables: { id }, pause: status !== 'SENDING' })
  const failed = recipientCounts.failed + recipientCounts.unknown
  return (
    <Stack gap="md">
      {status === 'SENDING' && (
        <Permitted scope="CAMPAIGNS_WRITE">
          <Sending campaign={campaign} />
        </Permitted>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }} spacing="sm">
        <RecipientFigure list="sent" value={format.number(stats.sent)} />
        <RecipientFigure list="opened" value={format.percent(stats.openRate)} note={format.number(stats.opened)} />
        <RecipientFigure list="clicked" value={format.percent(stats.clickRate)} note={format.number(stats.clicked)} />
        <RecipientFigure
          list="unsubscribed"
          value={format.percent(stats.unsubscribeRate)}
          note={format.number(stats.unsubscribed)}
        />
        <RecipientFigure list="bounced" value={format.number(stats.bounced)} />
        <RecipientFigure list="failed" value={format.number(failed)} />
      </SimpleGrid>
      <Columns first={7}>
        <Stack gap="md">
          <Section title="Opens and clicks, first 30 days">
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
          <LinkList campaign={campaign} />
          <RecipientList campaign={campaign} />
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
