import { t } from '@lingui/core/macro'
import { Button, Checkbox, Group, ScrollArea, Table, VisuallyHidden } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { memo, type ReactNode, useCallback, useRef } from 'react'
import { useFormat } from '../format.ts'
import { Listed } from '../layout/listed.tsx'
import { Muted } from '../layout/screen.tsx'
import { usePage } from './use-page.ts'

/** A column of a table. */
export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly render: (row: Row) => ReactNode
  readonly align?: 'left' | 'right'
  /** Screens below this width do not show the column. */
  readonly from?: 'xs' | 'sm' | 'md' | 'lg'
}

type Render<Row> = Column<Row>['render']
type Width<Row> = Column<Row>['from']

/** A column with text. `from` is the width below which screens do not show it. */
export const left = <Row,>(title: string, render: Render<Row>, from?: Width<Row>): Column<Row> => ({
  ...{ key: title, title, render },
  ...(from && { from }),
})

/** A column with numbers, times or buttons. */
export const right = <Row,>(title: string, render: Render<Row>, from?: Width<Row>): Column<Row> => ({
  ...left(title, render, from),
  align: 'right',
})

/** Creates columns of a table, which know the type of its rows. */
type NewColumns<Row> = (make: {
  readonly left: typeof left<Row>
  readonly right: typeof right<Row>
}) => readonly Column<Row>[]

interface DataTableProps<Row extends { readonly id: string }> {
  readonly label: string
  /** Null and undefined mean that the rows could not be read. */
  readonly rows: readonly Row[] | null | undefined
  readonly columns: readonly Column<Row>[] | NewColumns<Row>
  readonly empty: ReactNode
  readonly selection?: ReadonlySet<string>
  readonly onSelect?: (selection: ReadonlySet<string>) => void
  readonly nameOf?: (row: Row) => string
}

/** A table of rows, which can be selected. */
export function DataTable<Row extends { readonly id: string }>({ rows, empty, ...table }: DataTableProps<Row>) {
  return (
    <Listed items={rows} empty={empty}>
      {(listed) => <Rows {...table} rows={listed} />}
    </Listed>
  )
}

type RowsProps<Row extends { readonly id: string }> = Omit<DataTableProps<Row>, 'rows' | 'empty'> & {
  readonly rows: readonly Row[]
}

function Rows<Row extends { readonly id: string }>(props: RowsProps<Row>) {
  const { label, rows, selection, onSelect, nameOf } = props
  const columns = typeof props.columns === 'function' ? props.columns({ left, right }) : props.columns
  const latest = useRef<RowProps<Row>['onToggle']>(undefined)
  const toggleOne = useCallback((id: string, isOn: boolean) => latest.current?.(id, isOn), [])
  const isAll = selection !== undefined && rows.every(({ id }) => selection.has(id))
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selection)
    for (const id of ids) isOn ? next.add(id) : next.delete(id)
    onSelect?.(next)
  }
  latest.current = (id, isOn) => toggle([id], isOn)
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}>
      <Table highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label={t`Select all rows of this page`}
                  checked={isAll}
                  indeterminate={!isAll && rows.some(({ id }) => selection.has(id))}
                  onChange={({ currentTarget }) =>
                    toggle(
                      rows.map(({ id }) => id),
                      currentTarget.checked,
                    )
                  }
                />
              </Table.Th>
            )}
            {columns.map(({ key, title, align = 'left', from }) => (
              <Table.Th key={key} ta={align} visibleFrom={from} className="muted" fw={550} fz="xs">
                {title || <VisuallyHidden>{t`Actions`}</VisuallyHidden>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <MemoRow
              key={row.id}
              row={row}
              columns={columns as never}
              isSelected={selection?.has(row.id)}
              name={nameOf?.(row) ?? 'row'}
              onToggle={toggleOne}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

interface RowProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  /** Undefined if rows cannot be selected. */
  readonly isSelected: boolean | undefined
  readonly name: string
  readonly onToggle: ((id: string, isOn: boolean) => void) | undefined
}

function TableRow<Row extends { readonly id: string }>({ row, columns, isSelected, name, onToggle }: RowProps<Row>) {
  return (
    <Table.Tr bg={isSelected ? 'var(--mantine-primary-color-light)' : undefined}>
      {isSelected !== undefined && (
        <Table.Td>
          {/* A hundred boxes of the library take too long to render. */}
          <input
            type="checkbox"
            className="tick"
            aria-label={t`Select ${name}`}
            checked={isSelected}
            onChange={({ currentTarget }) => onToggle?.(row.id, currentTarget.checked)}
          />
        </Table.Td>
      )}
      {columns.map(({ key, render, align = 'left', from }) => (
        <Table.Td key={key} ta={align} visibleFrom={from} className={align === 'right' ? 'fixed' : undefined}>
          {render(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

// A selection renders the rows again that it changes, if the columns are the same as before.
const MemoRow = memo(TableRow)

interface Page {
  readonly totalCount: number
  readonly nodes: readonly unknown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** Leads to the next page, and back to the first one. The browser's history leads to pages between. */
export function Pager({ page }: { page: Page | null }) {
  const format = useFormat()
  const { after, show } = usePage()
  if (!page) return null
  const { totalCount, nodes, pageInfo } = page
  return (
    <Group justify="space-between" px="md" py="xs" gap="xs">
      <Muted>{t`${nodes.length} of ${format.number(totalCount)}`}</Muted>
      {(after || pageInfo.hasNextPage) && (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-xs"
            disabled={!after}
            onClick={() => show()}
            leftSection={<ChevronLeft size={14} />}
          >{t`First page`}</Button>
          <Button
            variant="default"
            size="compact-xs"
            disabled={!pageInfo.hasNextPage}
            onClick={() => pageInfo.endCursor && show(pageInfo.endCursor)}
            rightSection={<ChevronRight size={14} />}
          >{t`Next page`}</Button>
        </Group>
      )}
    </Group>
  )
}
