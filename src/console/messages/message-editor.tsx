import { t } from '@lingui/core/macro'
import { Alert, SegmentedControl } from '@mantine/core'
import { lazy, Suspense, useContext, useState } from 'react'
import { MessageLinks } from '../blocks/text/merge-fields.ts'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import type { MessageContentFragment } from '../generated/messages.documents.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { Section } from '../shared/layout/screen.tsx'
import type { Remark } from './message-blocks.tsx'
import { PlainBody } from './plain-body.tsx'
import { type Beginning, type BodyChange, Templates } from './templates.tsx'

const MessageParts = lazy(() => import('./message-parts.tsx').then((module) => ({ default: module.MessageParts })))

/** The fields of an inbox that an editor of a message changes. */
export const subjectFields = () =>
  [
    { name: 'subject', label: t({ message: 'Subject', context: 'of an e-mail' }) },
    { name: 'preheader', label: t`Preheader`, description: t`Inboxes show it after the subject.` },
  ] as const
export const senderFields = () =>
  [
    { name: 'fromName', label: t({ message: 'From', context: 'sender of an e-mail' }) },
    { name: 'fromEmail', label: t`From address`, type: 'email' },
    { name: 'replyTo', label: t`Reply to`, type: 'email', description: t`Empty for the from address.` },
    { name: 'language', label: t`Language`, description: t`A tag such as en or pt-BR. Screen readers use it.` },
  ] as const

/** A blank message: a greeting, and the footer that each message needs. */
const blankMessage = {
  version: 1,
  sections: [
    {
      type: 'section',
      columns: [
        {
          blocks: [
            {
              type: 'text',
              content: {
                type: 'doc',
                content: [
                  {
                    type: 'paragraph',
                    content: [
                      { type: 'text', text: 'Hello ' },
                      { type: 'mergeField', attrs: { name: 'FIRST_NAME', fallback: 'there' } },
                      { type: 'text', text: ',' },
                    ],
                  },
                ],
              },
            },
            { type: 'footer' },
          ],
        },
      ],
    },
  ],
}

interface MessageEditorProps {
  /** ID of the campaign or stage. */
  readonly ownerId: string
  readonly email: MessageContentFragment
  readonly parts: EditorPartsFragment
  /** What a message of blocks begins with. Defaults to a greeting and a footer. */
  readonly blank?: object
  readonly remarks: readonly Remark[]
  readonly hiddenPaths: readonly string[]
  readonly isSaving: boolean
  readonly onSave: (change: BodyChange) => Promise<string | undefined>
}

type Form = 'blocks' | 'html' | 'text'

// Braces in a text are those of its values.
const mergeField = '{{FIRST_NAME:there}}'

const forms = () => [
  { value: 'blocks', label: t`Blocks` },
  { value: 'html', label: t`HTML` },
  { value: 'text', label: t`Plain text` },
]

/** Returns the form of the stored body. Undefined if there is none yet. */
function formOf({ content, html, text }: MessageContentFragment): Form | undefined {
  if (content !== null) return 'blocks'
  if (html) return 'html'
  return text ? 'text' : undefined
}

/** The content of a message: blocks, or for those who have it HTML of their own, or plain text alone. */
export function MessageEditor(props: MessageEditorProps) {
  const { ownerId, email, blank = blankMessage, isSaving, onSave } = props
  const stored = formOf(email)
  const [chosen, setChosen] = useState<Form>()
  const form = chosen ?? stored ?? 'blocks'
  const [link] = useContext(MessageLinks)()
  const begin = async (beginning: Beginning) => {
    if (beginning === 'html' || beginning === 'text') return setChosen(beginning)
    const question = {
      title: t`Replace the content?`,
      consequence: t`The content of the message is replaced by the template.`,
      verb: t`Replace`,
      isRed: true,
    }
    if (stored && !(await ask(question))) return undefined
    const error = await onSave(beginning === 'blocks' ? { content: blank } : beginning)
    if (error === undefined) setChosen(undefined)
    else report({ error, fields: {} })
    return undefined
  }
  const isOther = stored !== undefined && stored !== form
  return (
    <Section
      title={t`Content`}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t`Form of the content`}
          data={forms()}
          value={form}
          onChange={(value) => setChosen(value as Form)}
        />
      }
    >
      {isOther && form !== 'blocks' && (
        <Alert color="gray" py="xs" mb="xs">
          {stored === 'blocks'
            ? t`This message is made of blocks. What you type here replaces it.`
            : t`This message has HTML of its own. What you type here replaces it.`}
        </Alert>
      )}
      {form === 'blocks' && stored !== 'blocks' ? (
        <Templates isSaving={isSaving} onChoose={(beginning) => void begin(beginning)} />
      ) : form === 'blocks' ? (
        <Suspense>
          <MessageParts {...props} />
        </Suspense>
      ) : form === 'html' ? (
        <PlainBody
          key="html"
          label={t`HTML of the message`}
          description={t`HTML. ${mergeField} is the first name of the recipient, or else “there”.`}
          draftKey={`${ownerId}:html`}
          value={email.html ?? ''}
          isCode
          isSaving={isSaving}
          onSave={(html) => onSave({ html })}
        />
      ) : (
        <PlainBody
          key="text"
          label={t`Text of the message`}
          description={t`The message has no HTML then. ${link?.href ?? ''} is the address of the link “${link?.label ?? ''}”.`}
          draftKey={`${ownerId}:text`}
          value={email.text ?? (stored === 'text' ? '' : (email.preview?.text ?? ''))}
          isCode={false}
          isSaving={isSaving}
          onSave={(text) => onSave({ html: '', text })}
        />
      )}
    </Section>
  )
}
