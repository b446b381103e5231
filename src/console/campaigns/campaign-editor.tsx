import { Alert, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type Condition, fromFilter, toFilter } from '../filters/conditions.ts'
import { FilterBuilder } from '../filters/filter-builder.tsx'
import {
  CampaignContentDocument,
  type CampaignQuery,
  CampaignUpdateDocument,
} from '../generated/campaigns.documents.ts'
import { useAction, useSave } from '../graph/use-screen.ts'
import { MessageBody, MessagePreview } from '../messages/message-editor.tsx'
import { EditableFields } from '../shared/editable.tsx'
import { plural, useFormat } from '../shared/format.ts'
import { report } from '../shared/report.ts'
import { Columns, Muted, Section } from '../shared/screen.tsx'
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
  return (
    <Columns first={6}>
      <Stack gap="md">
        <Section title="Envelope">
          <Stack gap="xs">
            <EditableFields id={id} fields={fields} values={campaign} onSave={save} />
          </Stack>
        </Section>
        <Audience campaign={campaign} />
        <Delivery campaign={campaign} />
      </Stack>
      <Content campaign={campaign} />
    </Columns>
  )
}

function Audience({ campaign }: { campaign: Campaign }) {
  const format = useFormat()
  const { audience } = campaign
  const [update] = useAction(CampaignUpdateDocument)
  const stored = fromFilter(audience.filter)
  const [conditions, setConditions] = useState<readonly Condition[]>(stored ?? [])
  const save = async (input: { sendToAll: boolean } | { filter: ReturnType<typeof toFilter> }) => {
    report(await update({ input: { id: campaign.id, audience: input } }))
  }
  const change = (next: readonly Condition[]) => {
    setConditions(next)
    const filter = toFilter(undefined, next)
    if (filter && JSON.stringify(filter) !== JSON.stringify(toFilter(undefined, conditions))) void save({ filter })
  }
  return (
    <Section
      title="Audience"
      aside={
        <Muted>
          {format.number(audience.optIn)} of {format.count(audience.total, 'contact')}{' '}
          {plural(audience.optIn, 'accepts', 'accept')} e-mail
        </Muted>
      }
    >
      <Stack gap="sm">
        <Radio.Group
          aria-label="Audience"
          value={audience.sendToAll ? 'all' : 'filter'}
          onChange={(value) => {
            const filter = toFilter(undefined, conditions)
            if (value === 'all') void save({ sendToAll: true })
            else if (filter) void save({ filter })
            else void save({ sendToAll: false })
          }}
        >
          <Group gap="md">
            <Radio size="xs" value="all" label="All contacts" />
            <Radio size="xs" value="filter" label="A segment, or conditions" />
          </Group>
        </Radio.Group>
        {!audience.sendToAll &&
          (stored === undefined ? (
            <Alert color="gray" title="This audience was defined through the API">
              <Text size="xs" ff="monospace" className="activity-text">
                {JSON.stringify(audience.filter)}
              </Text>
            </Alert>
          ) : (
            <FilterBuilder conditions={conditions} onChange={change} />
          ))}
      </Stack>
    </Section>
  )
}

function Content({ campaign: { id, email } }: { campaign: Campaign }) {
  const [save, isSaving] = useSave(CampaignContentDocument, { id })
  return (
    <Stack gap="md">
      <MessageBody
        draftKey={`${id}:html`}
        html={email?.html ?? ''}
        isSaving={isSaving}
        onSave={(html) => save({ html })}
      />
      {email && <MessagePreview email={email} />}
    </Stack>
  )
}
