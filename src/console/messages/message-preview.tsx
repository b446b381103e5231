import { plural, t } from '@lingui/core/macro'
import { Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useQuery } from 'urql'
import {
  type MessageContentFragment,
  MessagePreviewDocument,
  type MessagePreviewFragment,
} from '../generated/messages.documents.ts'
import { PickContact, type PickedContact } from '../pickers/pick-contact.tsx'
import { useFormat } from '../shared/format.ts'
import { Preview } from '../shared/layout/preview.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'

/** The contact for whom a message is rendered. */
export type Reader = PickedContact

/** A message as one contact sees it, and who that is. */
interface ReaderState {
  /** Undefined for an example contact. */
  readonly reader: Reader | undefined
  readonly onReader: (reader: Reader | undefined) => void
  readonly preview: MessagePreviewFragment | null
  /** The paths of blocks that the contact does not see. */
  readonly hiddenPaths: readonly string[]
}

/** Follows a message as the chosen contact sees it: it is rendered again after each change. */
export function useReader(email: Pick<MessageContentFragment, 'id' | 'updatedAt' | 'preview'> | null): ReaderState {
  const [reader, onReader] = useState<Reader>()
  const contactId = reader?.id
  const [{ data }, execute] = useQuery({
    query: MessagePreviewDocument,
    variables: { id: email?.id ?? '', contactId: contactId ?? null },
    pause: contactId === undefined || !email,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the message changes its preview
  useEffect(() => {
    if (contactId !== undefined) execute({ requestPolicy: 'network-only' })
  }, [email?.updatedAt])
  const ofContact = data?.node && 'preview' in data.node ? data.node.preview : undefined
  const preview = (contactId === undefined ? undefined : ofContact) ?? email?.preview ?? null
  const hiddenPaths = preview?.conditions.filter(({ holds }) => !holds).flatMap(({ paths }) => paths) ?? []
  return { reader, onReader, preview, hiddenPaths }
}

interface PreviewProps extends ReaderState {
  readonly from: string
}

/** A message as an inbox shows it, and as a contact reads it. */
export function MessagePreview({ from, preview, onReader, hiddenPaths }: PreviewProps) {
  return (
    <Section title={t`Preview`} className="sticky">
      <Stack gap="xs">
        <PickContact aria-label={t`Preview as a contact`} placeholder={t`Preview as a contact…`} onPick={onReader} />
        {preview ? (
          <>
            <div className="inbox">
              <Text size="sm" fw={600} truncate>
                {from || t`No sender yet`}
              </Text>
              <Text size="sm" truncate>
                {preview.subject || t`No subject yet`}
                <span className="muted"> {preview.preheader}</span>
              </Text>
            </div>
            {hiddenPaths.length > 0 && (
              <Muted role="status">
                {plural(hiddenPaths.length, {
                  one: '# block not shown to this contact',
                  other: '# blocks not shown to this contact',
                })}
              </Muted>
            )}
            <Size {...preview} />
            {preview.html === '' ? (
              <Text size="sm" className="plain-preview">
                {preview.text}
              </Text>
            ) : (
              <Preview isMessage title={t`Preview of the message`} html={preview.html} />
            )}
          </>
        ) : (
          <Text size="sm" className="muted">{t`The message has no content yet.`}</Text>
        )}
      </Stack>
    </Section>
  )
}

/** From this size of the HTML in bytes on, Gmail hides the rest. */
const clippedFrom = 102_000

/** How large a message is, without the links that count clicks. */
function Size({ html, htmlBytes, pictureBytes }: Pick<MessagePreviewFragment, 'html' | 'htmlBytes' | 'pictureBytes'>) {
  const format = useFormat()
  if (html === '') return null
  const kilobytes = (bytes: number) => t`${format.number(Math.ceil(bytes / 1_000))} kB`
  return (
    <Muted {...(htmlBytes > clippedFrom && { c: 'red' })}>
      {t`${kilobytes(htmlBytes)} of 102 kB that Gmail shows`}
      {pictureBytes !== null && ` · ${t`pictures ${kilobytes(pictureBytes)}`}`}
    </Muted>
  )
}
