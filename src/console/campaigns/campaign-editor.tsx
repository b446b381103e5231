import { Stack } from '@mantine/core'
import { useState } from 'react'
import {
  CampaignContentDocument,
  type CampaignQuery,
  CampaignUpdateDocument,
} from '../generated/campaigns.documents.ts'
import { useSave } from '../graph/use-screen.ts'
import { MessageBody, MessagePreview, type Reader, type ReaderProps } from '../messages/message-editor.tsx'
import { EditableFields } from '../shared/editable.tsx'
import { Section } from '../shared/screen.tsx'
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
  const [save] = useSave(CampaignUpdateDocument, { id })
  const [reader, setReader] = useState<Reader>()
  return (
    <div className="campaign-editor">
      <Stack gap="md">
        <Section title="Envelope">
          <Stack gap="xs">
            <EditableFields id={id} fields={fields} values={campaign} onSave={save} />
          </Stack>
        </Section>
        <Audience campaign={campaign} />
      </Stack>
      <Content campaign={campaign} reader={reader} onReader={setReader} />
      <Delivery campaign={campaign} reader={reader} />
    </div>
  )
}

interface ContentProps extends ReaderProps {
  readonly campaign: Campaign
}

function Content({ campaign: { id, email }, ...preview }: ContentProps) {
  const [save, isSaving] = useSave(CampaignContentDocument, { id })
  return (
    <Stack gap="md">
      <MessageBody
        draftKey={`${id}:html`}
        html={email?.html ?? ''}
        isSaving={isSaving}
        onSave={(html) => save({ html })}
      />
      {email && <MessagePreview email={email} {...preview} />}
    </Stack>
  )
}
