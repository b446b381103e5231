import { faultAt, validated } from '../../content/rendering.ts'
import { buildPageData, maxMergeFields } from '../html/compile.ts'
import { htmlFaultOf } from '../html/elements/sanitise.ts'
import { PageDocument } from './page-document.ts'

/** Maximum size of a page document in bytes of JSON. */
export const maxBytes = 512 * 1024

/** Maximum number of sections, rows, columns and elements of a page document. */
const maxNodes = 2_000

/** Result of a validation: the JSON to store, or the faults. */
export type ContentValidation = { readonly json: string } | { readonly faults: readonly string[] }

interface DocumentNode {
  readonly html?: unknown
  readonly children?: readonly DocumentNode[]
}

/**
 * Validates a page document against the schema, and its HTML against the limits. Then builds the page once, so that an
 * accepted document can be rendered within the time and memory limits of a thread.
 */
export function validateContent(document: unknown): ContentValidation {
  const json = JSON.stringify(document) ?? 'null'
  if (Buffer.byteLength(json) > maxBytes) return { faults: [`must have at most ${maxBytes} bytes`] }
  const parsed = validated(PageDocument, document)
  if ('faults' in parsed) return parsed
  const root = parsed.data.root as readonly DocumentNode[]
  if (countNodes(root) > maxNodes) return { faults: [`must have at most ${maxNodes} nodes`] }
  const faults = faultsOfHtml(root, 'root')
  if (faults.length > 0) return { faults }
  const { parts } = buildPageData({ title: '', description: '', document, questions: [], action: '', nextUrl: null })
  const fields = parts.filter((part) => typeof part !== 'string' && part.kind !== 'form').length
  return fields >= maxMergeFields ? { faults: [`must have fewer than ${maxMergeFields} merge fields`] } : { json }
}

function countNodes(nodes: readonly DocumentNode[]): number {
  return nodes.reduce((count, { children }) => count + 1 + countNodes(children ?? []), 0)
}

function faultsOfHtml(nodes: readonly DocumentNode[], path: string): string[] {
  return nodes.flatMap(({ html, children }, index) => {
    const place = `${path}.${index}`
    const fault = typeof html === 'string' ? htmlFaultOf(html) : undefined
    return [
      ...(fault === undefined ? [] : [faultAt(`${place}.html`, fault)]),
      ...faultsOfHtml(children ?? [], `${place}.children`),
    ]
  })
}
