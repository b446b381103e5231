import { t } from '@lingui/core/macro'
import { Group } from '@mantine/core'
import { Plus, Redo2, Undo2 } from 'lucide-react'
import {
  type ClipboardEvent,
  type DragEvent,
  memo,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useClient } from 'urql'
import { UploadedPictureDocument } from '../generated/blocks.documents.ts'
import { Uploads } from '../media/upload-area.tsx'
import { picturesIn, useUploads } from '../media/use-uploads.ts'
import { AddButton } from '../shared/actions/new-menu.tsx'
import { IconAction } from '../shared/layout/permission.tsx'
import './canvas/canvas.css'
import { Canvas } from './canvas/canvas.tsx'
import { type BlockEditor as Editing, EditingProvider, type Remarks, useEditing } from './canvas/editor.ts'
import { InsertMenu } from './canvas/insert-menu.tsx'
import { Outline } from './canvas/outline.tsx'
import { copiedBlock } from './model/clipboard.ts'
import { insertion } from './model/insertion.ts'
import type { DocumentModel } from './model/kinds.ts'
import { type Block, newBlock, placeOf, type Tree } from './model/tree.ts'
import type { useHistory } from './model/use-history.ts'
import { BlockFields } from './settings/fields.tsx'
import { sourceOf } from './settings/picture-source.ts'

interface BlockEditorProps extends Pick<Remarks, 'faults'>, Partial<Omit<Remarks, 'faults'>> {
  readonly model: DocumentModel
  readonly tree: Tree
  readonly change: ReturnType<typeof useHistory>['change']
  readonly undo: (() => void) | undefined
  readonly redo: (() => void) | undefined
  /** What is shown in the bar of the editor, such as whether it is saved. */
  readonly aside?: ReactNode
}

const none: Pick<Remarks, 'notes' | 'hidden'> = { notes: new Map(), hidden: new Set() }

/** Edits a document of blocks on a canvas: with a menu of blocks, an outline, and undo and redo. */
export function BlockEditor(props: BlockEditorProps) {
  const { model, tree, change, undo, redo, aside, faults, notes = none.notes, hidden = none.hidden } = props
  const [selectedId, select] = useState<string>()
  const latest = useRef({ tree, selectedId })
  latest.current = { tree, selectedId }
  const editing = useMemo<Editing>(() => {
    const insert = (blocks: readonly Block[]) => {
      const { tree: now, selectedId: chosen } = latest.current
      change(insertion(now, chosen, blocks))
      select(blocks[0]?.id)
    }
    return { model, change, select, insert, blockOf: (id) => placeOf(latest.current.tree, id)?.block }
  }, [model, change])
  const own = useRef<HTMLElement>(null)
  const client = useClient()
  const [uploads, upload] = useUploads(async (id) => {
    const { data } = await client.query(UploadedPictureDocument, { id }, { requestPolicy: 'network-only' })
    const picture = data?.mediaItem
    if (picture) editing.insert([newBlock('image', { src: sourceOf(picture), alt: picture.alternativeText })])
  })
  const take = (transfer: DataTransfer, event: { preventDefault(): void }) => {
    const pictures = picturesIn(transfer)
    if (pictures.length === 0) return false
    event.preventDefault()
    void upload(pictures)
    return true
  }
  const isDisabled = () => own.current?.closest('fieldset:disabled') !== null
  const onPaste = (event: ClipboardEvent) => {
    if (isDisabled()) return
    if (take(event.clipboardData, event) || isWritten(event.target)) return
    const block = copiedBlock()
    if (block && (block.type === 'section' ? !model.isFlat : block.type in model.kinds)) editing.insert([block])
  }
  const onDrop = (event: DragEvent) => {
    if (!isDisabled()) take(event.dataTransfer, event)
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event
    const around = target instanceof Element ? target.closest('.block-editor') : null
    // A button that was pressed and removed leaves the focus to the body.
    if (isDisabled() || (around !== own.current && (target !== document.body || model.isFlat))) return
    if (event.key === 'Escape' && !event.defaultPrevented) select(undefined)
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    const step = event.shiftKey ? redo : undo
    step?.()
  })
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <EditingProvider value={editing}>
      <section
        ref={own}
        className="block-editor"
        aria-label={model.contentLabel}
        onPaste={onPaste}
        onDrop={onDrop}
        onDragOver={keepFiles}
      >
        <Group gap={4} mb="xs" className="editor-bar">
          <Bar undo={undo} redo={redo} />
          <Group gap="xs" ml="auto">
            {aside}
          </Group>
        </Group>
        <Uploads uploads={uploads} />
        <Canvas tree={tree} selectedId={selectedId} change={change} {...useRemarks({ faults, notes, hidden })} />
        {!model.isFlat && (
          <Details summary={t`Outline`}>{() => <Outline tree={tree} selectedId={selectedId} />}</Details>
        )}
        {model.rootFields.length > 0 && (
          <Details summary={model.styleLabel ?? ''}>
            {() => (
              <BlockFields
                fields={model.rootFields}
                values={tree.values}
                errors={undefined}
                onChange={(values) => change((before) => ({ ...before, values }), 'root')}
              />
            )}
          </Details>
        )}
      </section>
    </EditingProvider>
  )
}

/** The menu of blocks, and the steps back and forth. */
const Bar = memo(function Bar({ undo, redo }: Pick<BlockEditorProps, 'undo' | 'redo'>) {
  const { model, insert } = useEditing()
  return (
    <>
      <InsertMenu
        hasSections={!model.isFlat}
        onInsert={(block) => insert([block])}
        button={(open) => (
          <AddButton leftSection={<Plus size={14} aria-hidden="true" />} onClick={open}>{t`Add`}</AddButton>
        )}
      />
      <IconAction label={t`Undo`} disabled={!undo} icon={<Undo2 size={15} />} onClick={() => undo?.()} />
      <IconAction label={t`Redo`} disabled={!redo} icon={<Redo2 size={15} />} onClick={() => redo?.()} />
    </>
  )
})

/** A part of the editor that is rendered while it is open only. */
function Details({ summary, children }: { readonly summary: string; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}

/** Returns the same object while what is known of the blocks is the same. */
const useRemarks = ({ faults, notes, hidden }: Remarks) =>
  useMemo(() => ({ faults, notes, hidden }), [faults, notes, hidden])

const keepFiles = (event: DragEvent) => {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault()
}

/** Whether something is written there, so that what is pasted belongs to it. */
const isWritten = (target: EventTarget) =>
  target instanceof HTMLElement && target.closest('input, textarea, [contenteditable="true"]') !== null
