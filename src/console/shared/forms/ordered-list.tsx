import { t } from '@lingui/core/macro'
import { Collapse, Group, Paper, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { ArrowDown, ArrowUp, ChevronRight, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, startTransition, useOptimistic, useState } from 'react'
import { ask } from '../actions/confirm.tsx'
import { IconAction } from '../layout/permission.tsx'
import { Muted } from '../layout/screen.tsx'

interface OrderedListProps<Item extends { readonly id: string }> {
  readonly label: string
  readonly items: readonly Item[]
  /** The item whose content is shown. */
  readonly openId: string | undefined
  readonly onOpen: (id: string | undefined) => void
  readonly nameOf: (item: Item) => string
  readonly summary: (item: Item) => ReactNode
  readonly content: (item: Item) => ReactNode
  readonly before?: (item: Item) => ReactNode
  readonly aside?: (item: Item) => ReactNode
  /** Moves an item to a position, starting at 1. */
  readonly onMove: (item: Item, position: number) => Promise<void> | void
  readonly onRemove: (item: Item) => Promise<void> | void
  /** What follows if an item is removed. */
  readonly consequence: string
}

/** Where an item goes, or that it is removed. */
type Step<Item> = { readonly item: Item; readonly to: number | undefined }

/**
 * Items in an order that can be changed with buttons and with Alt and the arrow keys. A change is shown at once, and taken
 * back if it was refused. One item at a time is open.
 */
export function OrderedList<Item extends { readonly id: string }>(props: OrderedListProps<Item>) {
  const { label, items, openId, onOpen, nameOf, onMove, onRemove, before, consequence } = props
  const [shown, change] = useOptimistic(items, applyStep<Item>)
  const [message, setMessage] = useState('')
  const run = (item: Item, to: number | undefined) =>
    startTransition(async () => {
      change({ item, to })
      await (to === undefined ? onRemove(item) : onMove(item, to))
    })
  const move = (item: Item, to: number) => {
    if (to < 1 || to > shown.length) return
    run(item, to)
    setMessage(t`${nameOf(item)}: position ${to} of ${shown.length}`)
    // The browser takes the focus from an element that moves.
    const focused = document.activeElement
    requestAnimationFrame(() => focused instanceof HTMLElement && focused.focus())
  }
  const remove = async (item: Item) => {
    const title = t`Remove “${nameOf(item)}”?`
    if (await ask({ title, consequence, verb: t`Remove`, isRed: true })) run(item, undefined)
  }
  return (
    <>
      <ol className="ordered" aria-label={label}>
        {shown.map((item, index) => (
          <li key={item.id}>
            {before?.(item)}
            <Entry
              {...props}
              item={item}
              isOpen={openId === item.id}
              index={index}
              count={shown.length}
              onToggle={() => onOpen(openId === item.id ? undefined : item.id)}
              onStep={(offset) => move(item, index + 1 + offset)}
              onDrop={() => void remove(item)}
            />
          </li>
        ))}
      </ol>
      <VisuallyHidden role="status">{message}</VisuallyHidden>
    </>
  )
}

interface EntryProps<Item extends { readonly id: string }> extends OrderedListProps<Item> {
  readonly item: Item
  readonly isOpen: boolean
  readonly index: number
  readonly count: number
  readonly onToggle: () => void
  readonly onStep: (offset: 1 | -1) => void
  readonly onDrop: () => void
}

function Entry<Item extends { readonly id: string }>(props: EntryProps<Item>) {
  const { item, nameOf, summary, content, aside, isOpen, index, count, onToggle, onStep, onDrop } = props
  const name = nameOf(item)
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    onStep(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <Paper className="entry" data-open={isOpen}>
      <Group gap={4} wrap="nowrap" align="center" pr={6}>
        <UnstyledButton
          className="entry-head"
          aria-expanded={isOpen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={onToggle}
          onKeyDown={onKeyDown}
        >
          <ChevronRight size={15} className="entry-sign" aria-hidden="true" />
          <span className="entry-text">
            <Text size="sm" fw={550} component="span" className="entry-name">
              {name}
            </Text>
            <Muted span display="block" truncate>
              {summary(item)}
            </Muted>
          </span>
        </UnstyledButton>
        {aside?.(item)}
        <Moves name={name} index={index} count={count} onMove={onStep} onRemove={onDrop} />
      </Group>
      <Collapse expanded={isOpen}>{isOpen && <div className="entry-content">{content(item)}</div>}</Collapse>
    </Paper>
  )
}

interface MovesProps {
  readonly name: string
  readonly index: number
  readonly count: number
  readonly onMove: (offset: 1 | -1) => void
  readonly onRemove: () => void
  /** Whether the list must keep one entry. */
  readonly isOneKept?: boolean
}

/** The buttons that move and remove an entry of a list. */
export function Moves({ name, index, count, onMove, onRemove, isOneKept = false }: MovesProps) {
  const isLast = index === count - 1
  return (
    <>
      <IconAction
        label={t`Move ${name} up`}
        disabled={index === 0}
        icon={<ArrowUp size={15} />}
        onClick={() => onMove(-1)}
      />
      <IconAction
        label={t`Move ${name} down`}
        disabled={isLast}
        icon={<ArrowDown size={15} />}
        onClick={() => onMove(1)}
      />
      <IconAction
        label={t`Remove ${name}`}
        disabled={isOneKept && count === 1}
        icon={<Trash2 size={15} />}
        onClick={onRemove}
      />
    </>
  )
}

function applyStep<Item extends { readonly id: string }>(
  items: readonly Item[],
  { item, to }: Step<Item>,
): readonly Item[] {
  const others = items.filter(({ id }) => id !== item.id)
  return to === undefined ? others : others.toSpliced(to - 1, 0, item)
}
