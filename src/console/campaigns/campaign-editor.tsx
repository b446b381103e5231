import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Alert, Button, Fieldset, Group, Stack, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import {
  CampaignContentDocument,
  type CampaignQuery,
  CampaignUpdateDocument,
} from '../generated/campaigns.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { remarksOf } from '../messages/findings.tsx'
import { MessageEditor, senderFields, subjectFields } from '../messages/message-editor.tsx'
import { MessagePreview, useReader } from '../messages/message-preview.tsx'
import { TopicField } from '../messages/topic-field.tsx'
import { UtmFields } from '../messages/utm-fields.tsx'
import { EditableFields } from '../shared/forms/editable.tsx'
import { Columns, Section } from '../shared/layout/screen.tsx'
import { Audience } from './audience.tsx'
import { type CampaignStep, campaignSteps } from './campaign-search.ts'
import { Review } from './review.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

/** What the account has for its campaigns. */
export type CampaignParts = EditorPartsFragment & Pick<CampaignQuery, 'senderDomains'>

interface EditorProps {
  readonly campaign: Campaign
  readonly parts: CampaignParts
}

const fields = () =>
  [{ name: 'name', label: t`Name`, description: t`Recipients do not see it.` }, ...subjectFields()] as const

const route = getRouteApi('/campaigns/$id')
const order = Object.keys(campaignSteps) as CampaignStep[]

/** Writes a campaign in steps: its audience, then its content beside a preview; then it is reviewed, tested and sent. */
export function CampaignEditor({ campaign, parts }: EditorProps) {
  const { step = 'audience' } = route.useSearch()
  const navigate = route.useNavigate()
  const go = (next: CampaignStep) => void navigate({ search: { step: next }, replace: true })
  const reader = useReader(campaign.email)
  const isFixed = campaign.status === 'SCHEDULED'
  const next = order[order.indexOf(step) + 1]
  const { email } = campaign
  const preview = email && <MessagePreview {...reader} from={campaign.fromName || campaign.fromEmail} />
  return (
    <Tabs value={step} onChange={(value) => value && go(value as CampaignStep)} keepMounted={false}>
      <Tabs.List mb="md">
        {order.map((each, index) => (
          <Tabs.Tab key={each} value={each}>
            {index + 1}. {i18n._(campaignSteps[each].label)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {isFixed && step !== 'review' && (
        <Alert color="gray" py="xs" mb="md">
          <Trans>A scheduled campaign cannot be changed. Choose “Do not send” in the review to change it.</Trans>
        </Alert>
      )}
      <Tabs.Panel value="audience">
        <Fixed isFixed={isFixed}>
          <Audience campaign={campaign} />
        </Fixed>
      </Tabs.Panel>
      <Tabs.Panel value="content">
        <Columns first={8}>
          <Fixed isFixed={isFixed}>
            <Content campaign={campaign} parts={parts} hiddenPaths={reader.hiddenPaths} />
          </Fixed>
          {preview}
        </Columns>
      </Tabs.Panel>
      <Tabs.Panel value="review">
        <Columns first={7}>
          <Review campaign={campaign} domains={parts.senderDomains} reader={reader.reader} onStep={go} />
          {preview}
        </Columns>
      </Tabs.Panel>
      {next && (
        <Group justify="end" mt="md">
          <Button onClick={() => go(next)}>{i18n._(campaignSteps[next].next)}</Button>
        </Group>
      )}
    </Tabs>
  )
}

/** Fields that cannot be changed at present. */
function Fixed({ isFixed, children }: { readonly isFixed: boolean; readonly children: ReactNode }) {
  return (
    <Fieldset variant="unstyled" miw={0} m={0} p={0} disabled={isFixed}>
      {children}
    </Fieldset>
  )
}

interface ContentProps extends EditorProps {
  readonly hiddenPaths: readonly string[]
}

function Content({ campaign, parts, hiddenPaths }: ContentProps) {
  const { id, email, check } = campaign
  const { preheader = '', replyTo = '', language = '', utm } = email ?? {}
  const topicId = email?.topic?.id ?? ''
  const values = { ...campaign, preheader, replyTo, language, utm, topic: email?.topic }
  const [save] = useSave(CampaignUpdateDocument, { id }, values)
  const [saveBody, isSaving] = useSave(CampaignContentDocument, { id }, { ...email, ...campaign })
  return (
    <Stack gap="md">
      <Section title={t`Sender and subject`}>
        <Stack gap="xs">
          <EditableFields id={id} fields={fields()} values={values} onSave={save} />
          <TopicField topics={parts.topics} topicId={topicId} onSave={save} />
          <details className="more">
            <summary>{t`Sender: ${campaign.fromName || campaign.fromEmail || t`not set`}`}</summary>
            <Stack gap="xs">
              <EditableFields id={id} fields={senderFields()} values={values} onSave={save} />
            </Stack>
          </details>
          {utm && <UtmFields id={id} utm={utm} onSave={save} />}
        </Stack>
      </Section>
      {email && (
        <MessageEditor
          ownerId={id}
          email={email}
          parts={parts}
          remarks={remarksOf(check)}
          hiddenPaths={hiddenPaths}
          isSaving={isSaving}
          onSave={saveBody}
        />
      )}
    </Stack>
  )
}
