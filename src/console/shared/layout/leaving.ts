import { useRouterState } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'

/** Number of actions under way after which another screen is shown. */
let actions = 0
const listeners = new Set<() => void>()

function change(by: number): void {
  actions += by
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Executes an action. While one with `isLeaving` is under way, `useLeaving` returns true: it ends with another screen. */
export async function whileLeaving(isLeaving: boolean, act: () => Promise<void>): Promise<void> {
  if (!isLeaving) return act()
  change(1)
  try {
    await act()
  } finally {
    change(-1)
  }
}

/**
 * Returns whether the shown screen is about to be replaced by another one. The user may have deleted what it shows, and is not
 * told so a second time.
 */
export function useLeaving(): boolean {
  const isActing = useSyncExternalStore(subscribe, () => actions > 0)
  const isRouting = useRouterState({ select: ({ status }) => status === 'pending' })
  return isActing || isRouting
}
