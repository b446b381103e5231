import { t } from '@lingui/core/macro'
import { UnstyledButton } from '@mantine/core'
import { blockName } from '../model/kinds.ts'
import { type Block, blocksOf, type Tree } from '../model/tree.ts'
import { useEditing } from './editor.ts'

/** The sections and blocks of a document as a list of names. */
export function Outline({
  tree: { sections },
  selectedId,
}: {
  readonly tree: Tree
  readonly selectedId: string | undefined
}) {
  return (
    <ol className="outline" aria-label={t`Outline`}>
      {sections.map((section, index) => (
        <li key={section.id}>
          <OutlineEntry id={section.id} name={t`Section ${index + 1}`} isChosen={section.id === selectedId} />
          <ol className="outline">
            {blocksOf(section).map((block) => (
              <li key={block.id}>
                <OutlineBlock block={block} isChosen={block.id === selectedId} />
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ol>
  )
}

function OutlineBlock({ block, isChosen }: { readonly block: Block; readonly isChosen: boolean }) {
  const { model } = useEditing()
  const { label, text } = blockName(model, block)
  return <OutlineEntry id={block.id} name={text ? `${label}: ${text.slice(0, 60)}` : label} isChosen={isChosen} />
}

interface EntryProps {
  readonly id: string
  readonly name: string
  readonly isChosen: boolean
}

function OutlineEntry({ id, name, isChosen }: EntryProps) {
  const { select } = useEditing()
  return (
    <UnstyledButton className="outline-entry" aria-current={isChosen || undefined} onClick={() => select(id)}>
      {name}
    </UnstyledButton>
  )
}
