import { Trans } from '@lingui/react/macro'
import { createElement, type ReactNode } from 'react'
import type { RichDocument, RichNode } from '../model/kinds.ts'
import { useFieldLabel } from './merge-fields.ts'
import './text.css'

const tags: Readonly<Record<string, string>> = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  paragraph: 'p',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
}

/** Formatted text as readers see it. Its links lead nowhere, because a click selects the block. */
export function RichView({ document: { content = [] } }: { readonly document: RichDocument }) {
  return content.map(viewOf)
}

function viewOf(node: RichNode, key: number): ReactNode {
  const { type, text, content, attrs, marks = [] } = node
  if (type === 'hardBreak') return <br key={key} />
  const shown =
    type === 'text' ? (
      text
    ) : type === 'mergeField' ? (
      <FieldChip name={String(attrs?.['name'])} fallback={attrs?.['fallback']} />
    ) : undefined
  if (shown === undefined) {
    const align = attrs?.['textAlign'] as 'left' | undefined
    return createElement(
      tags[type] ?? 'div',
      { key, ...(align && { style: { textAlign: align } }) },
      content?.map(viewOf) ?? <br />,
    )
  }
  return marks.reduceRight<ReactNode>(
    (inner, mark) =>
      mark.type === 'link' ? (
        <span key={key} className="rich-link">
          {inner}
        </span>
      ) : (
        createElement(tags[mark.type] ?? 'span', { key }, inner)
      ),
    <span key={key}>{shown}</span>,
  )
}

/** A merge field in a text, with what stands there if the contact has no value. */
export function FieldChip({ name, fallback }: { readonly name: string; readonly fallback: unknown }) {
  const label = useFieldLabel(name)
  return (
    <span className="field-chip">
      {label}
      {typeof fallback === 'string' && fallback !== '' && (
        <span className="field-fallback">
          {' '}
          <Trans>or {fallback}</Trans>
        </span>
      )}
    </span>
  )
}
