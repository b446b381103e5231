import { useSortable } from '@dnd-kit/sortable'
import { t } from '@lingui/core/macro'
import { Alert, Group, Skeleton, Stack, Switch, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { CopyPlus, Eye, GripVertical } from 'lucide-react'
import { type KeyboardEvent, lazy, memo, Suspense, useCallback, useEffect, useMemo, useRef } from 'react'
import { Moves } from '../../shared/forms/ordered-list.tsx'
import { IconAction } from '../../shared/layout/permission.tsx'
import { copyBlock } from '../model/clipboard.ts'
import { blockName, type RichDocument } from '../model/kinds.ts'
import {
  type Block,
  copyOf,
  insertAfter,
  moveBlock,
  removeBlock,
  replaceBlock,
  type Values,
  withCondition,
} from '../model/tree.ts'
import { ShownTo } from '../settings/condition.tsx'
import { BlockFields } from '../settings/fields.tsx'
import { CopyAction } from './copy-action.tsx'
import { type Draggable, useEditing } from './editor.ts'
import { Reusable, SaveAsReusable } from './reusable.tsx'
import { BlockView } from './views.tsx'

const RichText = lazy(() => import('../text/rich-text.tsx').then((module) => ({ default: module.RichText })))

interface BlockProps {
  readonly block: Block
  readonly index: number
  readonly count: number
  readonly isSelected: boolean
  readonly faults: Readonly<Record<string, string>> | undefined
  readonly notes: readonly string[] | undefined
  /** Whether the contact of the preview does not see it. */
  readonly isHidden: boolean
}

/** A block of the canvas. The chosen one is edited in its place. */
export const BlockItem = memo(function BlockItem(props: BlockProps) {
  const { block, index, count, isSelected, faults, notes, isHidden } = props
  const { model, change, select } = useEditing()
  const { label, text } = blockName(model, block)
  const name = text ? `${label}: ${text.slice(0, 60)}` : label
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isOver, isDragging } =
    useSortable({ id: block.id, data: { isSection: false, label: name } satisfies Draggable })
  const move = (offset: number) => change((tree) => moveBlock(tree, block.id, index + 1 + offset))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      const offset = event.key === 'ArrowUp' ? -1 : 1
      if (index + offset >= 0 && index + offset < count) move(offset)
    } else if (event.key === 'Delete') change((tree) => removeBlock(tree, block.id))
    else if (event.key === 'c' && (event.metaKey || event.ctrlKey) && getSelection()?.isCollapsed) copyBlock(block)
  }
  const isMarked = faults !== undefined || notes !== undefined
  return (
    <div
      ref={setNodeRef}
      className="canvas-block"
      data-selected={isSelected || undefined}
      data-over={isOver || undefined}
      data-dragging={isDragging || undefined}
      data-hidden={isHidden || block.values['hidden'] === true || undefined}
      data-marked={isMarked || undefined}
      style={transform ? { transform: `translate(${transform.x}px, ${transform.y}px)`, transition } : {}}
    >
      {isSelected ? (
        <>
          <Group className="block-bar" gap={2} wrap="nowrap">
            <UnstyledButton
              ref={setActivatorNodeRef}
              {...attributes}
              {...listeners}
              className="drag-handle"
              aria-label={t`Drag ${name}`}
            >
              <GripVertical size={15} />
            </UnstyledButton>
            <Text size="xs" fw={550} truncate mr="auto">
              {label}
            </Text>
            <Tools id={block.id} type={block.type} index={index} count={count} label={label} />
          </Group>
          <Edited {...props} label={label} />
        </>
      ) : (
        <UnstyledButton
          className="block-face"
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete Control+C"
          // The pointer drags it from anywhere; keys are those of a button, so the keyboard drags it by its handle.
          onMouseDown={listeners?.['onMouseDown'] as never}
          onTouchStart={listeners?.['onTouchStart'] as never}
          onClick={() => select(block.id)}
          onKeyDown={onKeyDown}
        >
          <VisuallyHidden>{text ? `${label}: ` : label}</VisuallyHidden>
          {block.values['showTo'] !== undefined && (
            <span className="block-mark">
              <Eye size={12} aria-hidden="true" /> {t`for some contacts`}
            </span>
          )}
          <BlockView model={model} block={block} />
        </UnstyledButton>
      )}
      {isMarked && !isSelected && (
        <Text size="xs" className="block-note" component="div">
          {[...Object.values(faults ?? {}), ...(notes ?? [])].join(' ')}
        </Text>
      )}
    </div>
  )
})

interface ToolsProps extends Pick<BlockProps, 'index' | 'count'> {
  readonly id: string
  readonly type: string
  readonly label: string
}

/** The bar of the chosen block. It does not change while its text is written. */
const Tools = memo(function Tools({ id, type, index, count, label }: ToolsProps) {
  const { model, change, select, blockOf } = useEditing()
  const duplicate = () => {
    const block = blockOf(id)
    if (!block) return
    const copy = copyOf(block)
    change((tree) => insertAfter(tree, id, copy))
    select(copy.id)
  }
  const copy = () => {
    const block = blockOf(id)
    if (block) copyBlock(block)
  }
  return (
    <>
      {model.hasConditions && !model.isFlat && type !== 'reusable' && <SaveAsReusable id={id} />}
      <IconAction label={t`Duplicate ${label}`} icon={<CopyPlus size={15} />} onClick={duplicate} />
      <CopyAction label={t`Copy ${label}`} onCopy={copy} />
      <Moves
        name={label}
        index={index}
        count={count}
        onMove={(offset) => change((tree) => moveBlock(tree, id, index + 1 + offset))}
        onRemove={() => change((tree) => removeBlock(tree, id))}
      />
    </>
  )
})

/** The chosen block with its settings below it. */
function Edited({ block, faults, notes, label }: BlockProps & { readonly label: string }) {
  const { model, change } = useEditing()
  const { id, type, values } = block
  const { rich } = model.kinds[type] ?? {}
  const document = rich?.read(values)
  // The text editor has what is written in it: it gets what comes from elsewhere, such as from a step back.
  const given = useRef(document)
  const written = useRef(document)
  if (document !== written.current) {
    given.current = document
    written.current = document
  }
  const write = useCallback(
    (next: RichDocument) =>
      change(
        (tree) =>
          replaceBlock(tree, id, (each) => {
            const changed = rich?.write(each.values, next) ?? each.values
            written.current = rich?.read(changed)
            return { ...each, values: changed }
          }),
        `${id} text`,
      ),
    [change, id, rich],
  )
  const start = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // All of it, or else at least its beginning.
    start.current?.parentElement?.scrollIntoView({ block: 'nearest' })
    start.current?.scrollIntoView({ block: 'nearest' })
    const { activeElement, body } = globalThis.document
    // The button that chose it was removed.
    if (activeElement === body) start.current?.parentElement?.querySelector<HTMLElement>('.drag-handle')?.focus()
  }, [])
  const { content, ...others } = values
  const key = JSON.stringify(rich ? others : values)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the values
  const settings = useMemo(() => (rich ? others : values), [key])
  return (
    <>
      <div ref={start} />
      {given.current && rich ? (
        <div className="block-face">
          <div className="block-view" data-type={type}>
            <Suspense fallback={<Skeleton h={60} />}>
              <RichText label={label} isLine={rich.isLine} isFocused document={given.current} onChange={write} />
            </Suspense>
          </div>
        </div>
      ) : (
        type !== 'reusable' && (
          <div className="block-face">
            <BlockView model={model} block={block} />
          </div>
        )
      )}
      <Settings id={id} type={type} values={settings} faults={faults} notes={notes} />
    </>
  )
}

interface SettingsProps extends Pick<BlockProps, 'faults' | 'notes'> {
  readonly id: string
  readonly type: string
  /** The properties without the text that is written on the canvas. */
  readonly values: Values
}

const Settings = memo(function Settings({ id, type, values, faults, notes }: SettingsProps) {
  const { model, change } = useEditing()
  const set = (next: Values) =>
    change(
      (tree) =>
        replaceBlock(tree, id, (each) => {
          const { content } = each.values
          return { ...each, values: content === undefined ? next : { ...next, content } }
        }),
      `${id} settings`,
    )
  return (
    <Stack gap="xs" className="block-settings">
      {notes?.map((note) => (
        <Alert key={note} color="yellow" py={4}>
          {note}
        </Alert>
      ))}
      {type === 'reusable' && <Reusable id={id} reusableBlockId={values['reusableBlockId']} />}
      <BlockFields fields={model.kinds[type]?.fields ?? []} values={values} errors={faults} onChange={set} />
      {model.hasConditions ? (
        <ShownTo
          filter={values['showTo']}
          onChange={(showTo) => change((tree) => replaceBlock(tree, id, (each) => withCondition(each, showTo)))}
        />
      ) : (
        <Switch
          size="xs"
          label={t`Hidden`}
          checked={values['hidden'] === true}
          onChange={({ currentTarget: { checked } }) => set({ ...values, hidden: checked || undefined })}
        />
      )}
    </Stack>
  )
})
