import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { EditorPartsFragment } from '../../generated/blocks.documents.ts'
import type { DocumentModel, Faults } from '../model/kinds.ts'
import type { Block } from '../model/tree.ts'
import type { ChangeTree } from '../model/use-history.ts'

export type Brand = NonNullable<EditorPartsFragment['brand']>
export type ReusableBlock = NonNullable<EditorPartsFragment['reusableBlocks']>['nodes'][number]

/** What a document shows of the account: its brand and its reusable blocks. */
export interface EditorParts {
  readonly brand: Brand | null
  readonly reusableBlocks: readonly ReusableBlock[]
  /** Returns an editor of a reusable block, which is shown in the place of the block. */
  readonly editorOf: (block: ReusableBlock) => ReactNode
}

/** The editor around a block. It is the same object while a document is edited, so that blocks are not rendered without need. */
export interface BlockEditor {
  readonly model: DocumentModel
  readonly change: ChangeTree
  readonly select: (id: string | undefined) => void
  /** Returns a block as it is now. */
  readonly blockOf: (id: string) => Block | undefined
  /** Puts blocks after the chosen one, or at the end, and chooses the first. */
  readonly insert: (blocks: readonly Block[]) => void
}

const Editing = createContext<BlockEditor | undefined>(undefined)
export const EditingProvider = Editing.Provider

const Parts = createContext<EditorParts>({ brand: null, reusableBlocks: [], editorOf: () => null })
export const PartsProvider = Parts.Provider
export const useParts = (): EditorParts => useContext(Parts)

/** Returns the editor around a block. */
export function useEditing(): BlockEditor {
  const editing = useContext(Editing)
  if (!editing) throw new Error('a block is outside an editor')
  return editing
}

/** What is known of the blocks of a document, by their ids. */
export interface Remarks {
  readonly faults: Faults
  /** Sentences about a block, such as findings of a check. */
  readonly notes: ReadonlyMap<string, readonly string[]>
  /** The blocks that the contact of the preview does not see. */
  readonly hidden: ReadonlySet<string>
}

/** What is dragged, and where it can be dropped: sections among sections, blocks among blocks and into empty columns. */
export interface Draggable {
  readonly isSection: boolean
  readonly label: string
}

/** Returns the same list while its members are the same. */
export function useStable(ids: readonly string[]): string[] {
  const key = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the members
  return useMemo(() => [...ids], [key])
}
