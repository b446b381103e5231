import { t } from '@lingui/core/macro'
import { Button, Group, Popover, TextInput } from '@mantine/core'
import { RichTextEditor } from '@mantine/tiptap'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { Link } from 'lucide-react'
import { useState } from 'react'

/** Sets the link of the chosen text. That of the library also asks for the window, with a button that has no name. */
export function LinkControl({ editor }: { readonly editor: Editor }) {
  const [isOpen, setOpen] = useState(false)
  const [url, setUrl] = useState('')
  const active = useEditorState({ editor, selector: (state) => state.editor.isActive('link') })
  const open = () => {
    setUrl(String(editor.getAttributes('link')['href'] ?? ''))
    setOpen(true)
  }
  const save = () => {
    setOpen(false)
    const text = editor.chain().focus().extendMarkRange('link')
    const href = url.trim()
    if (href === '') text.unsetLink().run()
    else text.setLink({ href }).run()
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} withRoles={false} trapFocus shadow="md" withArrow>
      <Popover.Target>
        <RichTextEditor.Control aria-label={t`Link`} title={t`Link`} active={active} onClick={open}>
          <Link size={16} />
        </RichTextEditor.Control>
      </Popover.Target>
      <Popover.Dropdown>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            size="xs"
            aria-label={t`Enter URL`}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              save()
            }}
          />
          <Button size="xs" onClick={save}>{t`Save`}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
