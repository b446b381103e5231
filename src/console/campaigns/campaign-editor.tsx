import { Alert, Fieldset, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import {
  CampaignContentDocument,
  type CampaignQuery,
  CampaignUpdateDocument,
} from '../generated/campaigns.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { MessageBody, MessagePreview, type Reader, type ReaderProps } from '../messages/message-editor.tsx'
import { EditableFields } from '../shared/forms/editable.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { Audience } from './audience.tsx'
import { Delivery } from './delivery.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

const fields = [
  { name: 'name', label: 'Name', description: 'Recipients do not see it.' },
  { name: 'subject', label: 'Subject' },
  { name: 'fromName', label: 'From' },
  { name: 'fromEmail', label: 'From address', type: 'email' },
] as const

/** Edits a campaign: envelope, audience and content beside a preview; then it is checked, tested and sent. */
export function CampaignEditor({ campaign }: { campaign: Campaign }) {
  const { id } = campaign
  const [save] = useSave(CampaignUpdateDocument, { id }, campaign)
  const [reader, setReader] = useState<Reader>()
  const isFixed = campaign.status === 'SCHEDULED'
  return (
    <div className="campaign-editor">
      <Fixed isFixed={isFixed}>
        <Stack gap="md">
          {isFixed && (
            <Alert color="gray" py="xs">
              A scheduled campaign cannot be changed. Choose “Do not send” to change it.
            </Alert>
          )}
          <Section title="Envelope">
            <Stack gap="xs">
              <EditableFields id={id} fields={fields} values={campaign} onSave={save} />
            </Stack>
          </Section>
          <Audience campaign={campaign} />
        </Stack>
      </Fixed>
      <Content campaign={campaign} reader={reader} onReader={setReader} isFixed={isFixed} />
      <Delivery campaign={campaign} reader={reader} />
    </div>
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

interface ContentProps extends ReaderProps {
  readonly campaign: Campaign
  readonly isFixed: boolean
}

function Content({ campaign, isFixed, ...preview }: ContentProps) {
  const { id, email } = campaign
  const [save, isSaving] = useSave(CampaignContentDocument, { id }, { ...email, ...campaign })
  return (
    <Stack gap="md">
      <Fixed isFixed={isFixed}>
        <MessageBody
          draftKey={`${id}:html`}
          html={email?.html ?? ''}
          isSaving={isSaving}
          onSave={(html) => save({ html })}
        />
      </Fixed>
      {email && <MessagePreview email={email} {...preview} />}
    </Stack>
  )
}
