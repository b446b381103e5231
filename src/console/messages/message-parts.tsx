import type { ComponentProps } from 'react'
import { AccountParts } from '../blocks/account-parts.tsx'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import type { MessageContentFragment } from '../generated/messages.documents.ts'
import { MessageBlocks } from './message-blocks.tsx'
import type { BodyChange } from './templates.tsx'

interface MessagePartsProps extends Pick<ComponentProps<typeof MessageBlocks>, 'remarks' | 'hiddenPaths'> {
  readonly ownerId: string
  readonly email: MessageContentFragment
  readonly parts: EditorPartsFragment
  readonly onSave: (change: BodyChange) => Promise<string | undefined>
}

/** The blocks of a message with what the account gives them. It is loaded when a message is edited. */
export function MessageParts({ ownerId, email, parts, onSave, ...marks }: MessagePartsProps) {
  return (
    <AccountParts parts={parts}>
      <MessageBlocks
        {...marks}
        emailId={email.id}
        draftKey={`${ownerId}:content`}
        content={email.content}
        onSave={(content) => onSave({ content })}
      />
    </AccountParts>
  )
}
