import { t } from '@lingui/core/macro'
import { Group, NativeSelect, SegmentedControl, Stack } from '@mantine/core'
import { AddButton } from '../../shared/actions/new-menu.tsx'
import { Moves } from '../../shared/forms/ordered-list.tsx'
import { Muted } from '../../shared/layout/screen.tsx'
import {
  appendBlock,
  type Block,
  moveBlock,
  newRow,
  removeBlock,
  replaceBlock,
  setColumns,
  setWidths,
  widthsOf,
  withCondition,
  withValues,
} from '../model/tree.ts'
import { ShownTo } from '../settings/condition.tsx'
import { BlockFields } from '../settings/fields.tsx'
import { useEditing } from './editor.ts'

interface SettingsProps {
  readonly section: Block
  readonly faults: Readonly<Record<string, string>> | undefined
}

/** The settings of a section: its columns, colours, and who sees it. */
export function SectionSettings({ section, faults }: SettingsProps) {
  const { model, change } = useEditing()
  const { id, values, children: rows = [] } = section
  return (
    <Stack gap="xs" className="block-settings">
      {rows.map((row, index) => (
        <Row key={row.id} row={row} index={index} count={rows.length} />
      ))}
      {model.hasRows && (
        <Group>
          <AddButton
            variant="subtle"
            onClick={() => change((tree) => appendBlock(tree, id, newRow([])))}
          >{t`Add row`}</AddButton>
        </Group>
      )}
      <BlockFields
        fields={model.sectionFields}
        values={values}
        errors={faults}
        onChange={(next) => change(withValues(id, next), `${id} settings`)}
      />
      {model.hasConditions && (
        <ShownTo
          filter={values['showTo']}
          onChange={(showTo) => change((tree) => replaceBlock(tree, id, (block) => withCondition(block, showTo)))}
        />
      )}
    </Stack>
  )
}

interface RowProps {
  readonly row: Block
  readonly index: number
  readonly count: number
}

/** The widths that the columns of a row are offered, in twelfths, by their number. */
const layouts: Readonly<Record<number, readonly (readonly number[])[]>> = {
  2: [
    [6, 6],
    [4, 8],
    [8, 4],
    [3, 9],
    [9, 3],
  ],
  3: [
    [4, 4, 4],
    [3, 6, 3],
    [6, 3, 3],
    [3, 3, 6],
  ],
}

const ratio = (widths: readonly number[]) => {
  const least = Math.min(...widths)
  const isWhole = widths.every((width) => width % least === 0)
  return widths.map((width) => (isWhole ? width / least : Math.round(width))).join(' : ')
}

/** The number and widths of the columns of a row, and its place among the rows of a section. */
function Row({ row, index, count }: RowProps) {
  const { model, change } = useEditing()
  const label = model.hasRows ? t`Columns of row ${index + 1}` : t`Columns`
  const widths = widthsOf(row)
  const offered = layouts[widths.length] ?? []
  const isOffered = offered.some((each) => ratio(each) === ratio(widths))
  return (
    <Group gap={4}>
      <Muted mr="xs">{label}</Muted>
      <SegmentedControl
        size="xs"
        aria-label={label}
        value={String(row.children?.length ?? 0)}
        data={['1', '2', '3', '4']}
        onChange={(value) => change((tree) => replaceBlock(tree, row.id, (each) => setColumns(each, Number(value))))}
      />
      {offered.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label={model.hasRows ? t`Widths of the columns of row ${index + 1}` : t`Widths of the columns`}
          value={ratio(widths)}
          data={[...(isOffered ? [] : [widths]), ...offered].map(ratio)}
          onChange={({ currentTarget }) => {
            const chosen = offered.find((each) => ratio(each) === currentTarget.value)
            if (chosen) change((tree) => replaceBlock(tree, row.id, (each) => setWidths(each, chosen)))
          }}
        />
      )}
      {model.hasRows && (
        <Moves
          name={t`row ${index + 1}`}
          index={index}
          count={count}
          isOneKept
          onMove={(offset) => change((tree) => moveBlock(tree, row.id, index + 1 + offset))}
          onRemove={() => change((tree) => removeBlock(tree, row.id))}
        />
      )}
    </Group>
  )
}
