import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
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
import { Bar } from '../shared/figures/figures.tsx'
import { Plot } from '../shared/figures/plot.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { useFormat } from '../shared/format.ts'
import { Permitted } from '../shared/layout/permission.tsx'
import { Preview } from '../shared/layout/preview.tsx'
import { Columns, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { HeldMessages } from './held-messages.tsx'
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
          <Section title={t`Opens and clicks, first 30 days`}>
            <Plot
              label={t`Opens and clicks`}
              series={namedSeries({ [t`Opened`]: campaign.opens, [t`Clicked`]: campaign.clicks })}
            />
          </Section>
          <Section title={t`Message`}>
            <Preview isMessage title={t`Message`} html={campaign.email?.preview?.html ?? ''} />
          </Section>
        </Stack>
        <Stack gap="md">
          <HeldMessages campaign={campaign} />
          <LinkList campaign={campaign} />
          <Reasons campaign={campaign} />
          <RecipientList campaign={campaign} />
        </Stack>
      </Columns>
    </Stack>
  )
}

/** Why contacts unsubscribed through the campaign, as far as they said so. */
function Reasons({ campaign: { unsubscribeReasons } }: { campaign: Campaign }) {
  const format = useFormat()
  if (unsubscribeReasons.length === 0) return null
  return (
    <Section title={t`Why contacts unsubscribed`} isFlush>
      <DataTable
        label={t`Why contacts unsubscribed`}
        rows={unsubscribeReasons.map((each) => ({ ...each, id: each.reason }))}
        empty=""
        columns={({ left, right }) => [
          left(t`Reason`, ({ reason }) => i18n._(reasons[reason])),
          right(t`Contacts`, ({ count }) => format.number(count)),
        ]}
      />
    </Section>
  )
}

const reasons = {
  TOO_MANY: msg`Too many messages`,
  NOT_RELEVANT: msg`Not relevant`,
  NEVER_SIGNED_UP: msg`Did not sign up`,
  OTHER: msg`Another reason`,
} as const

function Sending({ campaign: { id, name, sentTo, recipientsCount, pausedAt } }: { campaign: Campaign }) {
  const format = useFormat()
  const [pause, isPausing] = useAction(CampaignPauseDocument)
  const [resume, isResuming] = useAction(CampaignResumeDocument)
  const run = async () => {
    report(await (pausedAt ? resume : pause)({ input: { id } }))
  }
  return (
    <Section title={pausedAt ? t`Paused` : t`Sending`}>
      <Group gap="sm" wrap="nowrap">
        <Bar
          size="md"
          flex={1}
          animated={!pausedAt}
          value={sentTo}
          of={recipientsCount}
          label={t`Progress of ${name}`}
        />
        <Text size="sm">{t`${format.number(sentTo)} of ${format.number(recipientsCount)}`}</Text>
        <Button variant="default" loading={isPausing || isResuming} onClick={() => void run()}>
          {pausedAt ? t`Resume` : t`Pause`}
        </Button>
      </Group>
    </Section>
  )
}
