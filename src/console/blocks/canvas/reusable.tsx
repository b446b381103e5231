import { plural, t } from '@lingui/core/macro'
import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { Repeat2 } from 'lucide-react'
import { useState } from 'react'
import { ReusableBlockCreateDocument } from '../../generated/blocks.documents.ts'
import { reasonOf, useAction } from '../../graph/use-screen.ts'
import { IconAction, useRefusal } from '../../shared/layout/permission.tsx'
import { reusableModel } from '../model/message-kinds.ts'
import { blocksOf, copyOf, insertAfter, newBlock, removeBlock, replaceBlock } from '../model/tree.ts'
import { type ReusableBlock, useEditing, useParts } from './editor.ts'
import { BlockView } from './views.tsx'

interface ReusableProps {
  /** ID of the block that refers to it. */
  readonly id: string
  readonly reusableBlockId: unknown
}

/** A reusable block in a message: which it is, where else it is used, and its own editor. */
export function Reusable({ id, reusableBlockId }: ReusableProps) {
  const { reusableBlocks, editorOf } = useParts()
  const found = reusableBlocks.find((each) => each.id === reusableBlockId)
  const [isOpen, setOpen] = useState(false)
  if (!found) return <Text size="xs">{t`The reusable block was deleted, so nothing is shown here.`}</Text>
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm" fw={550}>
          {found.name}
        </Text>
        <Uses block={found} />
      </Group>
      {isOpen ? editorOf(found) : <BlockView model={reusableModel} block={newBlock('reusable', { reusableBlockId })} />}
      <Group gap="xs">
        <Button size="xs" variant="light" onClick={() => setOpen(!isOpen)}>
          {isOpen ? t`Done` : t`Edit it everywhere`}
        </Button>
        <Detach id={id} found={found} />
      </Group>
    </Stack>
  )
}

function Uses({ block: { usedIn } }: { readonly block: ReusableBlock }) {
  return (
    <Text size="xs" className="muted">
      {plural(usedIn.length, { one: 'used in # message', other: 'used in # messages' })}
    </Text>
  )
}

/** Puts copies of its blocks in the place of a reusable block. */
function Detach({ id, found }: { readonly id: string; readonly found: ReusableBlock }) {
  const { change } = useEditing()
  const detach = () => {
    const [section] = reusableModel.read(found.content).sections
    const copies = section ? blocksOf(section).map(copyOf) : []
    change((tree) => removeBlock(insertAfter(tree, id, ...copies), id))
  }
  return <Button size="xs" variant="subtle" onClick={detach}>{t`Use its blocks here only`}</Button>
}

/** Makes a block reusable, and refers to it. */
export function SaveAsReusable({ id: blockId }: { readonly id: string }) {
  const { change, select, blockOf } = useEditing()
  const [create, isSaving] = useAction(ReusableBlockCreateDocument)
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const mayNot = useRefusal('MAIL_WRITE')
  const save = async () => {
    const block = blockOf(blockId)
    if (!block) return
    const { id: _, showTo, ...values } = block.values
    const result = await create({ input: { name, content: [{ type: block.type, ...values }] } })
    const id = result.data?.reusableBlockCreate?.reusableBlock?.id
    setError(reasonOf(result, 'name', 'content'))
    if (id === undefined) return
    setOpen(false)
    const reference = newBlock('reusable', { reusableBlockId: id, ...(showTo !== undefined && { showTo }) })
    change((tree) => replaceBlock(tree, blockId, () => reference))
    select(reference.id)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} withRoles={false} position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <span>
          <IconAction
            label={mayNot ?? t`Make it reusable`}
            disabled={mayNot !== undefined}
            icon={<Repeat2 size={15} />}
            onClick={() => setOpen(!isOpen)}
          />
        </span>
      </Popover.Target>
      <Popover.Dropdown>
        <Group gap="xs" align="end">
          <TextInput
            size="xs"
            label={t`Name of the reusable block`}
            value={name}
            error={error}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            onKeyDown={({ key }) => key === 'Enter' && void save()}
          />
          <Button size="xs" loading={isSaving} onClick={() => void save()}>{t`Save`}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
