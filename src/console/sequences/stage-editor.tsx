import { t } from '@lingui/core/macro'
import { Group, Skeleton, Stack } from '@mantine/core'
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
import { Findings, remarksOf } from '../messages/findings.tsx'
import { MessageEditor, senderFields, subjectFields } from '../messages/message-editor.tsx'
import { MessagePreview, useReader } from '../messages/message-preview.tsx'
import { TestForm } from '../messages/test-form.tsx'
import { TopicField } from '../messages/topic-field.tsx'
import { UtmFields } from '../messages/utm-fields.tsx'
import { Editable, EditableArea, EditableFields, EditableSelect } from '../shared/forms/editable.tsx'
import { HoldActions } from '../shared/forms/hold-action.tsx'
import { Columns, Section } from '../shared/layout/screen.tsx'
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
        label={t`Name of the stage`}
        draftKey={`${id}:name`}
        value={name}
        onSave={(value) => save({ name: value })}
      />
      <Group gap="xs" align="end" wrap="nowrap">
        <Editable
          label={type === 'INVERTED' ? t`Before the date` : t`Wait`}
          type="number"
          min={0}
          w={90}
          draftKey={`${id}:timeValue`}
          value={String(timeValue)}
          onSave={(value) => save({ timeValue: Math.trunc(Number(value)) })}
        />
        <EditableSelect
          aria-label={t`Unit of the wait`}
          value={timeType}
          data={[
            { value: 'HOURS', label: t`hours` },
            { value: 'DAYS', label: t`days` },
            { value: 'WEEKS', label: t`weeks` },
          ]}
          onSave={(value) => save({ timeType: value as StageFragment['timeType'] })}
        />
      </Group>
      {stageType === 'SEND_EMAIL' && (
        <>
          <Group gap="xs" grow align="end">
            <HoldActions values={stage} onSave={save} />
          </Group>
          <Message stageId={id} />
        </>
      )}
      {stageType === 'SEND_SMS' && (
        <EditableArea
          label={t`Text of the message`}
          description={t`Maximum 1,600 characters.`}
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
  return data && stage?.email ? <Email parts={data} stage={stage} email={stage.email} /> : <Skeleton h={220} />
}

interface EmailProps {
  readonly parts: StageContentQuery
  readonly stage: Pick<NonNullable<StageContentQuery['sequenceStage']>, 'id' | 'updatedAt' | 'check'>
  readonly email: NonNullable<NonNullable<StageContentQuery['sequenceStage']>['email']>
}

function Email({ parts, stage, email }: EmailProps) {
  const { id, check } = stage
  const topicId = email.topic?.id ?? ''
  const [save, isSaving] = useSave(StageContentSetDocument, { id }, { ...email, ...stage })
  const [test, isTesting] = useAction(StageTestDocument)
  const { reader, ...preview } = useReader(email)
  return (
    <Columns first={8} isNested>
      <Stack gap="sm">
        <EditableFields id={id} fields={subjectFields()} values={email} onSave={save} />
        <TopicField topics={parts.topics} topicId={topicId} onSave={save} />
        <details className="more">
          <summary>{t`Sender: ${email.fromName || email.fromEmail || t`not set`}`}</summary>
          <Stack gap="xs">
            <EditableFields id={id} fields={senderFields()} values={email} onSave={save} />
          </Stack>
        </details>
        <UtmFields id={id} utm={email.utm} onSave={save} />
        <MessageEditor
          ownerId={id}
          email={email}
          parts={parts}
          remarks={remarksOf(check)}
          hiddenPaths={preview.hiddenPaths}
          isSaving={isSaving}
          onSave={save}
        />
      </Stack>
      <Stack gap="sm">
        <MessagePreview {...preview} reader={reader} from={email.fromName || email.fromEmail} />
        {check && <Findings {...check} />}
        <Section title={t`Test`}>
          <TestForm isSending={isTesting} reader={reader} onSend={(target) => test({ input: { id, ...target } })} />
        </Section>
      </Stack>
    </Columns>
  )
}
