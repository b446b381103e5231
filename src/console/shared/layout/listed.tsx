import { t } from '@lingui/core/macro'
import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Empty, useReading } from './screen.tsx'

interface ListedProps<Item> {
  /** The members. Null and undefined mean that they could not be read, or not yet. */
  readonly items: readonly Item[] | null | undefined
  /** Takes the place of a list without members. */
  readonly empty: ReactNode
  readonly children: (items: readonly Item[]) => ReactNode
}

/**
 * A list, or why nothing is listed. Only a list that was read can be without members: one that was refused or did not arrive
 * is never shown as empty.
 */
export function Listed<Item>({ items, empty, children }: ListedProps<Item>) {
  const isReading = useReading()
  if (items) return items.length === 0 ? <Empty>{empty}</Empty> : children(items)
  if (isReading) return <Skeleton h={96} m="md" aria-busy="true" role="status" aria-label={t`Loading`} />
  return <Empty>{t`This could not be read.`}</Empty>
}
