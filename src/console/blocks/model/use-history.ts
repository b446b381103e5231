import { useCallback, useReducer } from 'react'
import type { Tree } from './tree.ts'

/**
 * Changes the tree. Changes with the same `group` that follow each other within a second are undone together, as those of
 * typing.
 */
export type ChangeTree = (edit: (tree: Tree) => Tree, group?: string) => void

interface History {
  readonly past: readonly Tree[]
  readonly now: Tree
  readonly future: readonly Tree[]
  /** The group of the newest change, and its time in milliseconds. */
  readonly group?: string | undefined
  readonly at?: number
}

type Step =
  | { readonly edit: (tree: Tree) => Tree; readonly group: string | undefined; readonly at: number }
  | 'undo'
  | 'redo'
  | { readonly reset: Tree }

const maxHistory = 50
const groupMs = 1_000

function apply(history: History, step: Step): History {
  const { past, now, future } = history
  if (step === 'undo') {
    const before = past.at(-1)
    return before ? { past: past.slice(0, -1), now: before, future: [now, ...future] } : history
  }
  if (step === 'redo') {
    const [after, ...others] = future
    return after ? { past: [...past, now], now: after, future: others } : history
  }
  if ('reset' in step) return { past: [], now: step.reset, future: [] }
  const { edit, group, at } = step
  const next = edit(now)
  if (next === now) return history
  const isJoined = group !== undefined && group === history.group && at - (history.at ?? 0) < groupMs
  return { past: isJoined ? past : [...past, now].slice(-maxHistory), now: next, future: [], group, at }
}

/** A document with the changes that can be undone. The functions stay the same. */
export function useHistory(initial: () => Tree) {
  const [{ past, now, future }, run] = useReducer(apply, undefined, () => ({ past: [], now: initial(), future: [] }))
  const change = useCallback<ChangeTree>((edit, group) => run({ edit, group, at: Date.now() }), [])
  const undo = useCallback(() => run('undo'), [])
  const redo = useCallback(() => run('redo'), [])
  const reset = useCallback((tree: Tree) => run({ reset: tree }), [])
  return { tree: now, change, undo, redo, reset, canUndo: past.length > 0, canRedo: future.length > 0 }
}
