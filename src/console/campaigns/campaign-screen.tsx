import { t } from '@lingui/core/macro'
import { Alert, Stack } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import {
  CampaignDeleteDocument,
  CampaignDocument,
  CampaignDuplicateDocument,
  type CampaignQuery,
  type CampaignQueryVariables,
} from '../generated/campaigns.documents.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { duplication, MoreMenu } from '../shared/actions/more-menu.tsx'
import { words } from '../shared/format.ts'
import { Permitted, useRefusal } from '../shared/layout/permission.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { CampaignEditor, type CampaignParts } from './campaign-editor.tsx'
import { CampaignReport } from './campaign-report.tsx'
import { recipientLists } from './campaign-search.ts'

const route = getRouteApi('/campaigns/$id')

type Campaign = NonNullable<CampaignQuery['campaign']>

/** A campaign: its editor until it is sent, then its report. */
export function CampaignScreen() {
  const { id } = route.useParams()
  const { show = 'clicked', step } = route.useSearch()
  const result = useScreen(CampaignDocument, {
    id,
    shown: recipientLists[show].filter as CampaignQueryVariables['shown'],
    // Why contacts get no message takes longer to count than who gets one.
    isReview: step === 'review',
  })
  useLive(result.data?.eventCursor, { campaignIds: [id] }, result.reload)
  const campaign = result.data?.campaign
  return (
    <Screen
      title={campaign?.name ?? t`Campaign`}
      subtitle={campaign && <Status value={campaign.status} />}
      parent={{ to: '/campaigns', label: t`Campaigns` }}
      result={result}
      actions={campaign && <CampaignMenu campaign={campaign} />}
    >
      {(data) => data.campaign && <Content campaign={data.campaign} parts={data} />}
    </Screen>
  )
}

function Content({ campaign, parts }: { readonly campaign: Campaign; readonly parts: CampaignParts }) {
  const { status, errorCode } = campaign
  const isEditable = status === 'DRAFT' || status === 'SCHEDULED' || status === 'ERROR'
  return (
    <Stack gap="md">
      {errorCode && (
        <Alert color="red" title={t`The campaign was stopped`}>
          {words(errorCode)}.
        </Alert>
      )}
      {isEditable ? (
        <Permitted scope="CAMPAIGNS_WRITE">
          <CampaignEditor key={campaign.id} campaign={campaign} parts={parts} />
        </Permitted>
      ) : (
        <CampaignReport campaign={campaign} />
      )}
    </Stack>
  )
}

function CampaignMenu({ campaign: { id, name, status, sentTo } }: { campaign: Campaign }) {
  const navigate = useNavigate()
  const refusal = useRefusal('CAMPAIGNS_WRITE')
  const [duplicate] = useAction(CampaignDuplicateDocument)
  const [remove] = useAction(CampaignDeleteDocument)
  const variables = { input: { id } }
  return (
    <MoreMenu
      refusal={refusal}
      actions={[
        duplication(
          () => duplicate(variables),
          (copy) => navigate({ to: '/campaigns/$id', params: { id: copy } }),
        ),
        // A scheduled campaign is taken back first. What was sent stays, for its figures.
        (status === 'DRAFT' || (status === 'ERROR' && sentTo === 0)) && {
          label: t`Delete`,
          isRed: true,
          question: {
            title: t`Delete “${name}”?`,
            consequence: t`The campaign is deleted with its content.`,
          },
          done: t`${name} was deleted.`,
          run: () => remove(variables),
          after: () => navigate({ to: '/campaigns', search: {} }),
        },
      ]}
    />
  )
}
