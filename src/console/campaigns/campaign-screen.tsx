import { Alert, Button, Group, Menu, Stack } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import {
  CampaignDeleteDocument,
  CampaignDocument,
  CampaignDuplicateDocument,
  type CampaignQuery,
} from '../generated/campaigns.documents.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { words } from '../shared/format.ts'
import { notify } from '../shared/notify.tsx'
import { Screen } from '../shared/screen.tsx'
import { Status } from '../shared/status.tsx'
import { CampaignEditor } from './campaign-editor.tsx'
import { CampaignReport } from './campaign-report.tsx'

const route = getRouteApi('/campaigns/$id')

type Campaign = NonNullable<CampaignQuery['campaign']>

/** A campaign: its editor until it is sent, then its report. */
export function CampaignScreen() {
  const { id } = route.useParams()
  const result = useScreen(CampaignDocument, { id })
  useLive(result.data?.eventCursor, { campaignIds: [id] }, result.reload)
  const campaign = result.data?.campaign
  return (
    <Screen
      title={campaign?.name ?? 'Campaign'}
      subtitle={campaign && <Status value={campaign.status} />}
      parent={{ to: '/campaigns', label: 'Campaigns' }}
      result={result}
      actions={campaign && <CampaignMenu campaign={campaign} />}
    >
      {(data) => data.campaign && <Content campaign={data.campaign} data={data} />}
    </Screen>
  )
}

function Content({ campaign, data }: { campaign: Campaign; data: CampaignQuery }) {
  const { status, errorCode } = campaign
  const isEditable = status === 'DRAFT' || status === 'SCHEDULED' || status === 'ERROR'
  return (
    <Stack gap="md">
      {errorCode && (
        <Alert color="red" title="The campaign was stopped">
          {words(errorCode)}.
        </Alert>
      )}
      {isEditable ? (
        <CampaignEditor key={campaign.id} campaign={campaign} choices={data} />
      ) : (
        <CampaignReport campaign={campaign} />
      )}
    </Stack>
  )
}

function CampaignMenu({ campaign: { id, name, status } }: { campaign: Campaign }) {
  const navigate = useNavigate()
  const [duplicate] = useAction(CampaignDuplicateDocument)
  const [remove] = useAction(CampaignDeleteDocument)
  const copy = async () => {
    const result = await duplicate({ input: { id } })
    const created = result.data?.campaignDuplicate?.campaign
    if (!created) return notify(result.error ?? 'The campaign could not be copied.', 'red')
    notify(`${created.name} was created.`)
    await navigate({ to: '/campaigns/$id', params: { id: created.id } })
  }
  const drop = async () => {
    if (!confirm(`Delete ${name}?`)) return
    const { error } = await remove({ input: { id } })
    if (error !== undefined) return notify(error, 'red')
    await navigate({ to: '/campaigns', search: {} })
  }
  return (
    <Group gap="xs">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" aria-label="More actions" px="xs">
            <Ellipsis size={15} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copy()}>Duplicate</Menu.Item>
          {status !== 'SENDING' && (
            <Menu.Item color="red" onClick={() => void drop()}>
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
