import { useDroppable } from '@dnd-kit/core'
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { Trans } from '@lingui/react/macro'
import { VisuallyHidden } from '@mantine/core'
import { memo } from 'react'
import { AddButton } from '../../shared/actions/new-menu.tsx'
import { appendBlock, type Block } from '../model/tree.ts'
import { BlockItem } from './block-item.tsx'
import { type Draggable, type Remarks, useEditing, useStable } from './editor.ts'
import { InsertMenu } from './insert-menu.tsx'

interface ColumnProps {
  readonly column: Block
  readonly label: string
  readonly selectedId: string | undefined
  readonly remarks: Remarks | undefined
}

/** A column: its blocks, and a button that adds one. */
export const Column = memo(function Column({ column, label, selectedId, remarks }: ColumnProps) {
  const { change, select } = useEditing()
  const blocks = column.children ?? []
  const ids = useStable(blocks.map(({ id }) => id))
  const isEmpty = blocks.length === 0
  const { setNodeRef, isOver } = useDroppable({
    id: column.id,
    disabled: !isEmpty,
    data: { isSection: false, label } satisfies Draggable,
  })
  const add = (block: Block) => {
    change((tree) => appendBlock(tree, column.id, block))
    select(block.id)
  }
  return (
    <div ref={setNodeRef} className="canvas-column" data-over={isOver || undefined}>
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        {blocks.map((block, index) => (
          <BlockItem
            key={block.id}
            block={block}
            index={index}
            count={blocks.length}
            isSelected={block.id === selectedId}
            faults={remarks?.faults.get(block.id)}
            notes={remarks?.notes.get(block.id)}
            isHidden={remarks?.hidden.has(block.id) ?? false}
          />
        ))}
      </SortableContext>
      <InsertMenu
        onInsert={add}
        button={(open) => (
          <AddButton variant="subtle" className="canvas-add" onClick={open}>
            <Trans>
              Add block
              <VisuallyHidden> to {label}</VisuallyHidden>
            </Trans>
          </AddButton>
        )}
      />
    </div>
  )
})
