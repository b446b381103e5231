import { t } from '@lingui/core/macro'
import { Group, Paper, SegmentedControl } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { CampaignCreateDocument, CampaignsDocument, type CampaignsQuery } from '../generated/campaigns.documents.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { Bar } from '../shared/figures/figures.tsx'
import { type Format, useFormat } from '../shared/format.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'
import { Muted, Screen } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { type Column, DataTable, left, Pager, right } from '../shared/tables/data-table.tsx'
import { type CampaignsSearch, campaignStatuses } from './campaigns-search.ts'

const route = getRouteApi('/campaigns')

type Row = NonNullable<CampaignsQuery['campaigns']>['nodes'][number]

const liveTypes = [
  'CAMPAIGN_CREATED',
  'CAMPAIGN_DELETED',
  'CAMPAIGN_UPDATED',
  'CAMPAIGN_SENT',
  'CAMPAIGN_SENDING',
] as const

/** The campaigns, with the results of those that were sent. */
export function CampaignsScreen() {
  const { status, after } = route.useSearch()
  const navigate = route.useNavigate()
  const format = useFormat()
  const result = useScreen(CampaignsDocument, { filter: status ? { status: [status] } : null, after: after ?? null })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload, { isMerged: true })
  return (
    <Screen title={t`Campaigns`} result={result} actions={<NewCampaign />}>
      {({ campaigns }) => (
        <Paper>
          <Group p="sm">
            <SegmentedControl
              size="xs"
              aria-label={t`Status`}
              value={status ?? 'ALL'}
              onChange={(value) =>
                navigate({ search: value === 'ALL' ? {} : { status: value as NonNullable<CampaignsSearch['status']> } })
              }
              data={[{ value: 'ALL', label: t`All` }, ...campaignStatuses()]}
            />
          </Group>
          <DataTable
            label={t`Campaigns`}
            rows={campaigns?.nodes}
            columns={columnsOf(format)}
            empty={status ? t`No campaign has this status.` : t`There are no campaigns yet.`}
          />
          <Pager page={campaigns} />
        </Paper>
      )}
    </Screen>
  )
}

function columnsOf(format: Format): Column<Row>[] {
  const isSent = ({ status }: Row) => status === 'SENT' || status === 'SENDING'
  const share = (value: number, row: Row) => (isSent(row) ? format.percent(value) : '')
  return [
    left(t`Campaign`, ({ id, name, subject }) => (
      <>
        <RouterAnchor to="/campaigns/$id" params={{ id }} size="sm" className="row-link">
          {name}
        </RouterAnchor>
        <Muted lineClamp={1}>{subject}</Muted>
      </>
    )),
    left(t`Status`, ({ status }) => <Status value={status} />),
    left(t`Time`, ({ sentAt, scheduledFor, createdAt }) => format.dateTime(sentAt ?? scheduledFor ?? createdAt), 'md'),
    right(
      t`Sent`,
      ({ status, sentTo, recipientsCount, stats, name }) =>
        status === 'SENDING' ? (
          <Bar size="md" miw={80} value={sentTo} of={recipientsCount} label={t`Progress of ${name}`} />
        ) : status === 'SENT' ? (
          format.number(stats.sent)
        ) : (
          ''
        ),
      'sm',
    ),
    right(t`Opened`, (row) => share(row.stats.openRate, row), 'sm'),
    right(t`Clicked`, (row) => share(row.stats.clickRate, row), 'sm'),
  ]
}

function NewCampaign() {
  const navigate = useNavigate()
  const [create, isCreating] = useAction(CampaignCreateDocument)
  const refusal = useRefusal('CAMPAIGNS_WRITE')
  const run = async () => {
    const result = await create({ input: { name: t`New campaign` } })
    const id = result.data?.campaignCreate?.campaign?.id
    if (report(result) && id) await navigate({ to: '/campaigns/$id', params: { id } })
  }
  return (
    <ActionButton
      leftSection={<Plus size={14} />}
      loading={isCreating}
      refusal={refusal}
      onClick={() => void run()}
    >{t`New campaign`}</ActionButton>
  )
}
