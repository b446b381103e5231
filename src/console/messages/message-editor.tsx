import { Autocomplete, Button, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useClient, useQuery } from 'urql'
import {
  MergeFieldsDocument,
  type MessageContentFragment,
  MessagePreviewDocument,
  PreviewContactsDocument,
} from '../generated/messages.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import { personName } from '../shared/format.ts'
import { unsavedAt } from '../shared/forms/editable.tsx'
import { useDraft } from '../shared/forms/use-draft.ts'
import { notSaved, type Save, useReason } from '../shared/forms/use-saved.ts'
import { Preview } from '../shared/layout/preview.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'

const saveAfterMs = 800

const mergeFields = contactTexts.map(({ mergeField, label }) => ({
  value: mergeField === 'FIRST_NAME' ? '{{FIRST_NAME:there}}' : `{{${mergeField}}}`,
  label,
}))

const otherFields = [
  { value: '{{TODAY_DATE}}', label: 'Date of sending' },
  { value: '<a href="{{UNSUBSCRIBE_URL}}">Unsubscribe</a>', label: 'Link to unsubscribe' },
  { value: '<a href="{{VIEW_URL}}">Read in the browser</a>', label: 'Link to the message as a page' },
]

/** A message to begin with. It is not stored before it is wanted, because it would count as the content of the message. */
const firstContent =
  '<p>Hello {{FIRST_NAME:there}},</p>\n<p></p>\n<p><a href="{{UNSUBSCRIBE_URL}}">Unsubscribe</a></p>\n'

interface BodyProps {
  readonly draftKey: string
  readonly html: string
  readonly isSaving: boolean
  readonly onSave: Save<string>
}

/** The HTML of a message. It is saved while it is typed. */
export function MessageBody({ draftKey, html, isSaving, onSave }: BodyProps) {
  const [error, follow] = useReason()
  const { text, change, forget, isChanged } = useDraft(draftKey, html)
  const store = async (value: string) => {
    if ((await follow(onSave(value))) === undefined) forget(value)
  }
  const save = useDebouncedCallback(store, saveAfterMs)
  const discard = () => {
    forget()
    void follow(undefined)
  }
  // Text of an earlier visit, which was not saved then, is not saved by showing it.
  const [isTyped, setTyped] = useState(false)
  const isFound = isChanged && !isTyped
  const edit = (value: string) => {
    setTyped(true)
    change(value)
    void save(value)
  }
  const area = useRef<HTMLTextAreaElement>(null)
  // The query of each screen with a message contains the custom fields.
  const [{ data }] = useQuery({ query: MergeFieldsDocument, requestPolicy: 'cache-first' })
  const custom = (data?.customFields ?? []).map(({ name }) => ({ value: `{{FIELD.${name}}}`, label: name }))
  const insert = (field: string) => {
    const { current: html } = area
    if (!html) return
    html.setRangeText(field, html.selectionStart, html.selectionEnd, 'end')
    edit(html.value)
    html.focus()
  }
  const state = isSaving ? 'Saving…' : isChanged ? 'Not saved' : 'Saved'
  return (
    <Section title="Content" aside={<Muted role="status">{state}</Muted>}>
      <NativeSelect
        size="xs"
        w={200}
        mb="xs"
        aria-label="Insert a merge field"
        value=""
        data={[
          { value: '', label: 'Insert a merge field…', disabled: true },
          { group: 'Contact', items: mergeFields },
          ...(custom.length > 0 ? [{ group: 'Custom fields', items: custom }] : []),
          { group: 'Message', items: otherFields },
        ]}
        onChange={({ currentTarget }) => insert(currentTarget.value)}
      />
      {text.trim() === '' && (
        <Button variant="light" mb="xs" onClick={() => edit(firstContent)}>
          Begin with a greeting
        </Button>
      )}
      <Textarea
        className="code"
        aria-label="HTML of the message"
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={false}
        value={text}
        error={unsavedAt(error ?? (isFound ? notSaved : undefined), {
          isUnsaved: isChanged,
          onRetry: () => void store(text),
          onDiscard: discard,
        })}
        errorProps={{ component: 'div' }}
        onChange={({ currentTarget }) => edit(currentTarget.value)}
        ref={area}
        description="HTML. {{FIRST_NAME:there}} is the first name of the recipient, or else “there”."
      />
    </Section>
  )
}

/** The contact for whom a message is rendered. */
export interface Reader {
  readonly id: string
  readonly label: string
}

export interface ReaderProps {
  /** Undefined for an example contact. */
  readonly reader: Reader | undefined
  readonly onReader: (reader: Reader | undefined) => void
}

interface PreviewProps extends ReaderProps {
  readonly email: Pick<MessageContentFragment, 'id' | 'updatedAt' | 'preview'>
}

/** A message as a contact receives it, or an example contact. */
export function MessagePreview({ email, reader, onReader }: PreviewProps) {
  const { id, updatedAt } = email
  const client = useClient()
  const [people, setPeople] = useState<readonly Reader[]>([])
  const contactId = reader?.id
  const [{ data }, execute] = useQuery({
    query: MessagePreviewDocument,
    variables: { id, contactId: contactId ?? null },
    pause: contactId === undefined,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the message changes its preview
  useEffect(() => {
    if (contactId !== undefined) execute({ requestPolicy: 'network-only' })
  }, [updatedAt])
  const search = useDebouncedCallback(async (text: string) => {
    const found = await client.query(PreviewContactsDocument, { search: text })
    setPeople(
      found.data?.contacts?.nodes.map((each) => ({ id: each.id, label: `${personName(each)} <${each.email}>` })) ?? [],
    )
  }, 250)
  const ofContact = data?.node && 'preview' in data.node ? data.node.preview : undefined
  const preview = contactId === undefined ? email.preview : (ofContact ?? email.preview)
  return (
    <Section title="Preview" aside={<Muted>{preview?.subject}</Muted>}>
      <Stack gap="xs">
        <Autocomplete
          size="xs"
          aria-label="Preview as a contact"
          placeholder="Preview as a contact…"
          data={people.map(({ label }) => label)}
          filter={({ options }) => options}
          onChange={(text) => {
            const chosen = people.find(({ label }) => label === text)
            if (chosen) onReader(chosen)
            else if (text === '') onReader(undefined)
            else search(text)
          }}
        />
        {preview ? (
          <Preview title="Preview of the message" html={preview.html} />
        ) : (
          <Text size="sm" className="muted">
            The message has no content yet.
          </Text>
        )}
      </Stack>
    </Section>
  )
}
