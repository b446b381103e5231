import { BlockEditor } from './block-editor.tsx'
import type { Remarks } from './canvas/editor.ts'
import type { DocumentModel } from './model/kinds.ts'
import { SavingStatus } from './saving.tsx'
import type { EditedDocument } from './use-document.ts'

interface DocumentEditorProps extends Partial<Pick<Remarks, 'notes' | 'hidden'>> {
  readonly model: DocumentModel
  readonly edited: EditedDocument
}

/** The editor of a document that is saved while it is edited. */
export function DocumentEditor({ model, edited, ...remarks }: DocumentEditorProps) {
  const { tree, change, undo, redo, faults, state } = edited
  return (
    <BlockEditor {...{ model, tree, change, undo, redo, faults }} {...remarks} aside={<SavingStatus state={state} />} />
  )
}
