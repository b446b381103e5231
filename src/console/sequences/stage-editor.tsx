import { Group, Skeleton, Stack } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from 'urql'
import {
  type SequenceQuery,
  StageContentDocument,
  type StageContentQuery,
  StageContentSetDocument,
  type StageFragment,
  StageTestDocument,
  StageUpdateDocument,
} from '../generated/sequences.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction } from '../graph/use-screen.ts'
import { MessageBody, MessagePreview, type Reader } from '../messages/message-editor.tsx'
import { TestForm } from '../messages/test-form.tsx'
import { Editable, EditableArea, EditableFields, EditableSelect } from '../shared/forms/editable.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { StageAction } from './stage-action.tsx'

interface EditorProps {
  readonly stage: StageFragment
  readonly type: NonNullable<SequenceQuery['sequence']>['type']
}

/** The settings of a stage: name, delay, and the e-mail, text message or action. */
export function StageEditor({ stage, type }: EditorProps) {
  const { id, name, stageType, timeValue, timeType, smsText } = stage
  const [save] = useSave(StageUpdateDocument, { id }, stage)
  return (
    <Stack gap="sm">
      <Editable
        label="Name of the stage"
        draftKey={`${id}:name`}
        value={name}
        onSave={(value) => save({ name: value })}
      />
      <Group gap="xs" align="end" wrap="nowrap">
        <Editable
          label={type === 'INVERTED' ? 'Before the date' : 'Wait'}
          type="number"
          min={0}
          w={90}
          draftKey={`${id}:timeValue`}
          value={String(timeValue)}
          onSave={(value) => save({ timeValue: Math.trunc(Number(value)) })}
        />
        <EditableSelect
          aria-label="Unit of the wait"
          value={timeType}
          data={[
            { value: 'HOURS', label: 'hours' },
            { value: 'DAYS', label: 'days' },
            { value: 'WEEKS', label: 'weeks' },
          ]}
          onSave={(value) => save({ timeType: value as StageFragment['timeType'] })}
        />
      </Group>
      {stageType === 'SEND_EMAIL' && <Message stageId={id} />}
      {stageType === 'SEND_SMS' && (
        <EditableArea
          label="Text of the message"
          description="Maximum 1,600 characters."
          draftKey={`${id}:smsText`}
          value={smsText ?? ''}
          onSave={(value) => save({ smsText: value })}
        />
      )}
      {stageType === 'ACTION' && <StageAction stage={stage} onSave={(action) => save({ action })} />}
    </Stack>
  )
}

function Message({ stageId }: { stageId: string }) {
  const [{ data }] = useQuery({ query: StageContentDocument, variables: { id: stageId } })
  const stage = data?.sequenceStage
  return stage?.email ? <Email stage={stage} email={stage.email} /> : <Skeleton h={220} />
}

const envelope = [
  { name: 'subject', label: 'Subject' },
  { name: 'fromName', label: 'From' },
  { name: 'fromEmail', label: 'From address', type: 'email' },
] as const

interface EmailProps {
  readonly stage: Pick<NonNullable<StageContentQuery['sequenceStage']>, 'id' | 'updatedAt'>
  readonly email: NonNullable<NonNullable<StageContentQuery['sequenceStage']>['email']>
}

function Email({ stage, email }: EmailProps) {
  const { id } = stage
  const [save, isSaving] = useSave(StageContentSetDocument, { id }, { ...email, ...stage })
  const [test, isTesting] = useAction(StageTestDocument)
  const [reader, setReader] = useState<Reader>()
  return (
    <>
      <EditableFields id={id} fields={envelope} values={email} onSave={save} />
      <MessageBody
        draftKey={`${id}:html`}
        html={email.html ?? ''}
        isSaving={isSaving}
        onSave={(html) => save({ html })}
      />
      <MessagePreview email={email} reader={reader} onReader={setReader} />
      <Section title="Test">
        <TestForm isSending={isTesting} reader={reader} onSend={(target) => test({ input: { id, ...target } })} />
      </Section>
    </>
  )
}
