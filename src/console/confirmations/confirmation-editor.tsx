import { t } from '@lingui/core/macro'
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { MessageLinks } from '../blocks/text/merge-fields.ts'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import type { FormConfirmationPartsFragment } from '../generated/confirmations.documents.ts'
import type { MessageContentFragment } from '../generated/messages.documents.ts'
import type { Outcome } from '../graph/use-screen.ts'
import { MessageEditor, senderFields, subjectFields } from '../messages/message-editor.tsx'
import { MessagePreview, useReader } from '../messages/message-preview.tsx'
import type { BodyChange } from '../messages/templates.tsx'
import { TestForm } from '../messages/test-form.tsx'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { sentence } from '../shared/format.ts'
import { EditableFields } from '../shared/forms/editable.tsx'
import { Columns, Section } from '../shared/layout/screen.tsx'
import { blankConfirmation, confirmationLinks } from './blank-confirmation.ts'

type Texts = Partial<Record<'subject' | 'preheader' | 'fromName' | 'fromEmail' | 'replyTo' | 'language', string>>
type TestOutcome = ReturnType<ComponentProps<typeof TestForm>['onSend']>

interface EditorProps {
  /** The form or the funnel with its message. */
  readonly owner: Pick<FormConfirmationPartsFragment, 'id' | 'confirmationEmail' | 'confirmationCheck'>
  readonly parts: EditorPartsFragment
  /** What is sent if it has no message of its own. */
  readonly otherwise: ReactNode
  readonly isBusy: boolean
  readonly isTesting: boolean
  readonly onSave: (change: BodyChange & Texts) => Promise<string | undefined>
  readonly onRemove: () => Promise<Outcome<unknown>>
  readonly onTest: (emails: string[]) => TestOutcome
}

/** The message that asks a visitor to confirm an address: the standard one, or one that is written here. */
export function ConfirmationEditor(props: EditorProps) {
  const { owner, otherwise, isBusy, onSave } = props
  if (owner.confirmationEmail) return <OwnMessage {...props} email={owner.confirmationEmail} />
  const begin = async () => {
    const error = await onSave({ content: blankConfirmation })
    if (error !== undefined) report({ error, fields: {} })
  }
  return (
    <Section title={t`Message`} maw={640}>
      <Stack gap="sm" align="start">
        <Text size="sm">{otherwise}</Text>
        <Text size="sm">
          {t`It asks the visitor to confirm the address with a button, and is sent while the account asks new contacts for it.`}
        </Text>
        <Button loading={isBusy} onClick={() => void begin()}>{t`Write a message of your own`}</Button>
      </Stack>
    </Section>
  )
}

function OwnMessage({ owner, parts, email, isBusy, isTesting, onSave, onRemove, onTest }: OwnMessageProps) {
  const { id, confirmationCheck: check } = owner
  const { reader, ...preview } = useReader(email)
  const findings = check?.findings ?? []
  const remarks = findings.flatMap(({ path, message }) =>
    path === null
      ? []
      : [{ path, message: sentence(message.replace(/^content /, '').replace(/: sections\.[\w.]*$/, '')) }],
  )
  const erase = async () => {
    const question = {
      title: t`Delete this message?`,
      consequence: t`Visitors get the standard message again.`,
      verb: t`Delete`,
      isRed: true,
    }
    if (await ask(question)) report(await onRemove(), t`The message was deleted.`)
  }
  return (
    <Columns first={8}>
      <Stack gap="md">
        <Findings findings={findings} isSent={check?.isSent ?? true} />
        <Section title={t`Sender and subject`}>
          <Stack gap="xs">
            <EditableFields id={id} fields={subjectFields()} values={email} onSave={onSave} />
            <details className="more">
              <summary>{t`Sender: ${email.fromName || email.fromEmail || t`not set`}`}</summary>
              <Stack gap="xs">
                <EditableFields id={id} fields={senderFields()} values={email} onSave={onSave} />
              </Stack>
            </details>
          </Stack>
        </Section>
        <MessageLinks value={confirmationLinks}>
          <MessageEditor
            ownerId={id}
            email={email}
            parts={parts}
            blank={blankConfirmation}
            remarks={remarks}
            hiddenPaths={preview.hiddenPaths}
            isSaving={isBusy}
            onSave={onSave}
          />
        </MessageLinks>
        <Group>
          <Button variant="subtle" color="red" loading={isBusy} onClick={() => void erase()}>
            {t`Delete the message and send the standard one`}
          </Button>
        </Group>
      </Stack>
      <Stack gap="sm">
        <MessagePreview {...preview} reader={reader} from={email.fromName || email.fromEmail} />
        <Section title={t`Test`}>
          <TestForm isSending={isTesting} reader={undefined} onSend={({ emails }) => onTest(emails)} />
        </Section>
      </Stack>
    </Columns>
  )
}

interface OwnMessageProps extends EditorProps {
  readonly email: MessageContentFragment
}

interface FindingsProps {
  readonly findings: NonNullable<FormConfirmationPartsFragment['confirmationCheck']>['findings']
  readonly isSent: boolean
}

/** What is wrong with a message. While it is not sent, the standard one is. */
function Findings({ findings, isSent }: FindingsProps) {
  if (findings.length === 0) return null
  return (
    <Alert
      color={isSent ? 'yellow' : 'red'}
      title={isSent ? t`Worth a look` : t`The standard message is sent until this is corrected`}
    >
      <List size="sm">
        {findings.map(({ message }) => (
          <List.Item key={message}>{sentence(message.replace(/\.$/, ''))}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
