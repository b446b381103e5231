import { type ReactNode, useMemo } from 'react'
import { type EditorPartsFragment, ReusableBlockUpdateDocument } from '../generated/blocks.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { type EditorParts, PartsProvider, type ReusableBlock } from './canvas/editor.ts'
import { DocumentEditor } from './document-editor.tsx'
import { reusableModel } from './model/message-kinds.ts'
import { NotSaved } from './saving.tsx'
import { CustomFields } from './text/merge-fields.ts'
import { useDocument } from './use-document.ts'

/** Gives editors what documents show of the account. */
export function AccountParts({
  parts,
  children,
}: {
  readonly parts: EditorPartsFragment
  readonly children: ReactNode
}) {
  const { brand, reusableBlocks, customFields } = parts
  const shown = useMemo<EditorParts>(
    () => ({
      brand,
      reusableBlocks: reusableBlocks?.nodes ?? [],
      editorOf: (block) => <ReusableEditor key={block.id} block={block} />,
    }),
    [brand, reusableBlocks],
  )
  const fields = useMemo(
    () => (customFields ?? []).map(({ name }) => ({ name: `FIELD.${name}`, label: name })),
    [customFields],
  )
  return (
    <PartsProvider value={shown}>
      <CustomFields value={fields}>{children}</CustomFields>
    </PartsProvider>
  )
}

/** The editor of a reusable block, in a message that contains it. */
function ReusableEditor({ block }: { readonly block: ReusableBlock }) {
  const [save] = useSave(ReusableBlockUpdateDocument, { id: block.id }, block)
  const edited = useDocument({
    draftKey: `${block.id}:content`,
    model: reusableModel,
    stored: block.content,
    onSave: (content) => save({ content }),
  })
  return (
    <div className="reusable-editor">
      <NotSaved {...edited} />
      <DocumentEditor model={reusableModel} edited={edited} />
    </div>
  )
}
