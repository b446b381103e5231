import { useSortable } from '@dnd-kit/sortable'
import { t } from '@lingui/core/macro'
import { Group, Text, UnstyledButton } from '@mantine/core'
import { CopyPlus, GripVertical } from 'lucide-react'
import { type CSSProperties, memo } from 'react'
import { Moves } from '../../shared/forms/ordered-list.tsx'
import { IconAction } from '../../shared/layout/permission.tsx'
import { copyBlock } from '../model/clipboard.ts'
import { type Block, copyOf, insertAfter, moveBlock, removeBlock, widthsOf } from '../model/tree.ts'
import { Column } from './column.tsx'
import { CopyAction } from './copy-action.tsx'
import { type Draggable, type Remarks, useEditing } from './editor.ts'
import { SectionSettings } from './section-settings.tsx'

/** The columns of a row as wide as readers see them. */
const columnStyle = (row: Block) =>
  ({
    '--columns': widthsOf(row)
      .map((width) => `minmax(0, ${width}fr)`)
      .join(' '),
  }) as CSSProperties

interface SectionProps {
  readonly section: Block
  readonly index: number
  readonly count: number
  /** What is chosen in this section. */
  readonly selectedId: string | undefined
  readonly isFlat: boolean
  readonly remarks: Remarks | undefined
}

/** A section of the canvas. Its settings are shown while it is chosen. */
export const SectionItem = memo(function SectionItem(props: SectionProps) {
  const { section, index, count, selectedId, isFlat, remarks } = props
  const { select } = useEditing()
  const label = t`Section ${index + 1}`
  const isSelected = selectedId === section.id
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isOver } = useSortable({
    id: section.id,
    disabled: isFlat || count < 2,
    data: { isSection: true, label } satisfies Draggable,
  })
  const { backgroundColor, background, hidden, showTo } = section.values as Record<string, unknown>
  const color = backgroundColor ?? Object(background).color
  const rows = section.children ?? []
  const columns = rows.map((row, at) => (
    <div key={row.id} className="canvas-row" style={columnStyle(row)}>
      {row.children?.map((column, place) => (
        <Column
          key={column.id}
          column={column}
          label={
            isFlat
              ? t`the block`
              : rows.length > 1
                ? t`column ${place + 1} of row ${at + 1} of section ${index + 1}`
                : t`column ${place + 1} of section ${index + 1}`
          }
          selectedId={selectedId}
          remarks={remarks}
        />
      ))}
    </div>
  ))
  if (isFlat) return columns
  return (
    <section
      ref={setNodeRef}
      className="canvas-section"
      aria-label={label}
      data-selected={isSelected || undefined}
      data-over={isOver || undefined}
      data-hidden={hidden === true || remarks?.hidden.has(section.id) || undefined}
      style={{
        ...(transform && { transform: `translateY(${transform.y}px)`, transition }),
        ...(typeof color === 'string' && { background: color }),
      }}
    >
      <Group className="section-bar" gap={2}>
        {count > 1 && (
          <UnstyledButton
            ref={setActivatorNodeRef}
            {...attributes}
            {...listeners}
            className="drag-handle"
            aria-label={t`Drag section ${index + 1}`}
          >
            <GripVertical size={14} />
          </UnstyledButton>
        )}
        <UnstyledButton
          className="section-name"
          aria-expanded={isSelected}
          onClick={() => select(isSelected ? undefined : section.id)}
        >
          {label}
          {showTo !== undefined && ` · ${t`for some contacts`}`}
          {hidden === true && ` · ${t`hidden`}`}
        </UnstyledButton>
        {isSelected && <SectionTools {...props} />}
      </Group>
      {remarks?.notes.get(section.id)?.map((note) => (
        <Text key={note} size="xs" className="block-note" component="div">
          {note}
        </Text>
      ))}
      {isSelected && <SectionSettings section={section} faults={remarks?.faults.get(section.id)} />}
      {columns}
    </section>
  )
})

function SectionTools({ section, index, count }: SectionProps) {
  const { change, select } = useEditing()
  const duplicate = () => {
    const copy = copyOf(section)
    change((tree) => insertAfter(tree, section.id, copy))
    select(copy.id)
  }
  return (
    <>
      <Moves
        name={t`section ${index + 1}`}
        index={index}
        count={count}
        onMove={(offset) => change((tree) => moveBlock(tree, section.id, index + 1 + offset))}
        onRemove={() => change((tree) => removeBlock(tree, section.id))}
      />
      <IconAction label={t`Duplicate section ${index + 1}`} icon={<CopyPlus size={15} />} onClick={duplicate} />
      <CopyAction label={t`Copy section ${index + 1}`} onCopy={() => copyBlock(section)} />
    </>
  )
}
