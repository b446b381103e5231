import { t } from '@lingui/core/macro'
import { Button, Group, Popover, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DocumentEditor } from '../blocks/document-editor.tsx'
import { blockAt } from '../blocks/model/kinds.ts'
import { messageModel } from '../blocks/model/message-kinds.ts'
import { NotSaved } from '../blocks/saving.tsx'
import { useDocument } from '../blocks/use-document.ts'
import { TemplateCreateDocument } from '../generated/messages.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { notify } from '../shared/actions/notify.tsx'
import type { Save } from '../shared/forms/use-saved.ts'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'

/** A sentence about a block, by its path in the document. */
export interface Remark {
  readonly path: string
  readonly message: string
}

interface MessageBlocksProps {
  readonly emailId: string
  readonly draftKey: string
  readonly content: unknown
  readonly remarks: readonly Remark[]
  /** The paths of blocks that the contact of the preview does not see. */
  readonly hiddenPaths: readonly string[]
  readonly onSave: Save<object>
}

/** The blocks of a message. They are saved while they are edited. */
export function MessageBlocks({ emailId, draftKey, content, remarks, hiddenPaths, onSave }: MessageBlocksProps) {
  const edited = useDocument({ draftKey, model: messageModel, stored: content, onSave })
  const { tree } = edited
  const key = JSON.stringify([remarks, hiddenPaths])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is remarked
  const marks = useMemo(() => {
    const idAt = (path: string) => {
      const place = messageModel.placeOf(path)
      return place && blockAt(tree, place.at)?.id
    }
    const notes = new Map<string, readonly string[]>()
    for (const { path, message } of remarks) {
      const id = idAt(path)
      if (id) notes.set(id, [...(notes.get(id) ?? []), message])
    }
    return { notes, hidden: new Set(hiddenPaths.flatMap((path) => idAt(path) ?? [])) }
  }, [tree, key])
  return (
    <>
      <NotSaved {...edited} />
      <DocumentEditor model={messageModel} edited={edited} {...marks} />
      <Group mt="xs">
        <SaveAsTemplate emailId={emailId} isSaved={edited.state === 'saved'} />
      </Group>
    </>
  )
}

/** Makes a template of the content of a message. */
function SaveAsTemplate({ emailId, isSaved }: { readonly emailId: string; readonly isSaved: boolean }) {
  const [create, isSaving] = useAction(TemplateCreateDocument)
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const mayNot = useRefusal('MAIL_WRITE')
  const save = async () => {
    const result = await create({ input: { name, emailId } })
    setError(reasonOf(result, 'name', 'emailId'))
    if (result.error !== undefined) return
    setOpen(false)
    notify(t`The template was saved.`)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} withRoles={false} position="top-start" trapFocus withArrow>
      <Popover.Target>
        <span>
          <ActionButton
            size="xs"
            variant="subtle"
            refusal={mayNot ?? (isSaved ? undefined : t`The message is not saved yet.`)}
            onClick={() => setOpen(!isOpen)}
          >{t`Save as a template…`}</ActionButton>
        </span>
      </Popover.Target>
      <Popover.Dropdown>
        <Group gap="xs" align="end">
          <TextInput
            size="xs"
            label={t`Name of the template`}
            value={name}
            error={error}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            onKeyDown={({ key: pressed }) => pressed === 'Enter' && name.trim() !== '' && void save()}
          />
          <Button
            size="xs"
            disabled={name.trim() === ''}
            loading={isSaving}
            onClick={() => void save()}
          >{t`Save`}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
