import { Group, SegmentedControl, SimpleGrid, Stack, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { ask } from '../shared/actions/confirm.tsx'
import { AddButton, ChoiceMenu } from '../shared/actions/new-menu.tsx'
import { Moves, OrderedList } from '../shared/forms/ordered-list.tsx'
import { Empty, Muted } from '../shared/layout/screen.tsx'
import { BlockFields } from './block-fields.tsx'
import { blockKinds, blockName, sectionFields } from './block-kinds.ts'
import {
  appendBlock,
  type Block,
  type Faults,
  moveBlock,
  newBlock,
  newRow,
  type PageTree,
  removeBlock,
  replaceBlock,
  setColumns,
  type Values,
} from './page-tree.ts'

interface OutlineProps {
  readonly tree: PageTree
  readonly faults: Faults
  readonly onChange: (change: (tree: PageTree) => PageTree) => void
}

/** The sections of a page. An open section shows its rows, their columns and the elements in them. */
export function PageOutline({ tree, faults, onChange }: OutlineProps) {
  const [openId, setOpenId] = useState<string | undefined>(tree.sections[0]?.id)
  return (
    <>
      {tree.sections.length === 0 && <Empty>The page has no sections yet.</Empty>}
      <OrderedList
        label="Sections"
        consequence="The section is removed with its elements. Undo brings it back."
        items={tree.sections}
        openId={openId}
        onOpen={setOpenId}
        nameOf={(section) => sectionName(section)}
        summary={(section) => summaryOf(section)}
        content={(section) => (
          <Stack gap="sm">
            {section.children?.map((row, index) => (
              <Row
                key={row.id}
                row={row}
                index={index}
                count={section.children?.length ?? 0}
                faults={faults}
                onChange={onChange}
              />
            ))}
            <Group gap="xs">
              <AddButton variant="subtle" onClick={() => onChange((page) => appendBlock(page, section.id, newRow([])))}>
                Add row
              </AddButton>
            </Group>
            <details className="more">
              <summary>Settings of the section</summary>
              <BlockFields
                fields={sectionFields}
                values={section.values}
                errors={faults.get(section.id)}
                onChange={(values) => onChange(withValues(section.id, values))}
              />
            </details>
          </Stack>
        )}
        onMove={({ id }, position) => onChange((page) => moveBlock(page, id, position))}
        onRemove={({ id }) => onChange((page) => removeBlock(page, id))}
      />
    </>
  )
}

const withValues = (id: string, values: Values) => (page: PageTree) =>
  replaceBlock(page, id, (block) => ({ ...block, values }))

interface RowProps extends Pick<OutlineProps, 'faults' | 'onChange'> {
  readonly row: Block
  readonly index: number
  readonly count: number
}

function Row({ row, index, count, faults, onChange }: RowProps) {
  const columns = row.children ?? []
  const name = `row ${index + 1}`
  const remove = async () => {
    const consequence = 'The row is removed with its elements. Undo brings it back.'
    if (!(await ask({ title: `Remove ${name}?`, consequence, verb: 'Remove', isRed: true }))) return
    onChange((page) => removeBlock(page, row.id))
  }
  return (
    <div className="page-row">
      <Group gap={4} mb={6}>
        <Muted mr="auto">Row {index + 1}</Muted>
        <SegmentedControl
          size="xs"
          aria-label={`Columns of ${name}`}
          value={String(columns.length)}
          data={['1', '2', '3', '4'].map((value) => ({ value, label: value }))}
          onChange={(value) =>
            onChange((page) => replaceBlock(page, row.id, (each) => setColumns(each, Number(value))))
          }
        />
        <Moves
          name={name}
          index={index}
          count={count}
          onMove={(offset) => onChange((page) => moveBlock(page, row.id, index + 1 + offset))}
          onRemove={() => void remove()}
        />
      </Group>
      <SimpleGrid cols={{ base: 1, xl: Math.min(2, Math.max(1, columns.length)) }} spacing="xs">
        {columns.map((column, at) => (
          <Column
            key={column.id}
            column={column}
            label={`Column ${at + 1} of ${name}`}
            faults={faults}
            onChange={onChange}
          />
        ))}
      </SimpleGrid>
    </div>
  )
}

interface ColumnProps extends Pick<OutlineProps, 'faults' | 'onChange'> {
  readonly column: Block
  readonly label: string
}

function Column({ column, label, faults, onChange }: ColumnProps) {
  const [openId, setOpenId] = useState<string>()
  const add = (type: string) => {
    const block = newBlock(type, blockKinds[type]?.initial)
    onChange((page) => appendBlock(page, column.id, block))
    setOpenId(block.id)
  }
  return (
    <div className="page-column">
      <OrderedList
        label={label}
        consequence="Undo brings the element back."
        items={column.children ?? []}
        openId={openId}
        onOpen={setOpenId}
        nameOf={({ type, values }) => blockName(type, values).text || blockName(type, values).label}
        summary={({ id, type, values }) =>
          `${blockName(type, values).label}${values['hidden'] ? ', hidden' : ''}${faults.has(id) ? ' – please check' : ''}`
        }
        content={({ id, type, values }) => (
          <BlockFields
            fields={[...(blockKinds[type]?.fields ?? []), { name: 'hidden', label: 'Hidden', kind: 'switch' }]}
            values={values}
            errors={faults.get(id)}
            onChange={(next) => onChange(withValues(id, next))}
          />
        )}
        onMove={({ id }, position) => onChange((page) => moveBlock(page, id, position))}
        onRemove={({ id }) => onChange((page) => removeBlock(page, id))}
      />
      <ChoiceMenu
        position="bottom-start"
        button={
          <AddButton variant="subtle">
            Add element
            <VisuallyHidden> to {label}</VisuallyHidden>
          </AddButton>
        }
        choices={elements}
        onChoose={({ type }) => add(type)}
      />
    </div>
  )
}

const elements = Object.entries(blockKinds).map(([type, { label }]) => ({ type, label }))

const elementsOf = ({ children }: Block) =>
  (children ?? []).flatMap((row) => row.children ?? []).flatMap((column) => column.children ?? [])

function sectionName(section: Block): string {
  const [first] = elementsOf(section)
  return (
    (first && (blockName(first.type, first.values).text || blockName(first.type, first.values).label)) ??
    'Empty section'
  )
}

function summaryOf(section: Block): string {
  const labels = elementsOf(section).map(({ type, values }) => blockName(type, values).label)
  return `${section.values['hidden'] ? 'Hidden. ' : ''}${labels.join(', ')}` || 'Nothing in it'
}
