import { AccountParts } from '../blocks/account-parts.tsx'
import { BlockEditor } from '../blocks/block-editor.tsx'
import type { Faults } from '../blocks/model/kinds.ts'
import type { useHistory } from '../blocks/model/use-history.ts'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import { pageModel } from './page-kinds.ts'

interface PageBlocksProps {
  readonly parts: EditorPartsFragment
  readonly history: ReturnType<typeof useHistory>
  readonly faults: Faults
}

/** The elements of a page. It is loaded when a page is edited. */
export function PageBlocks({
  parts,
  history: { tree, change, undo, redo, canUndo, canRedo },
  faults,
}: PageBlocksProps) {
  return (
    <AccountParts parts={parts}>
      <BlockEditor
        model={pageModel}
        tree={tree}
        change={change}
        undo={canUndo ? undo : undefined}
        redo={canRedo ? redo : undefined}
        faults={faults}
      />
    </AccountParts>
  )
}
