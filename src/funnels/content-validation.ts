import { buildPageData, maxMergeFields } from './page/compile.ts'
import { htmlFaultOf } from './page/sanitise.ts'
import { Page } from './page-document.ts'

/** The most bytes of a page's document, as JSON. */
export const maxBytes = 512 * 1024

/** How many sections, rows, columns and elements a page has, all together. */
const maxNodes = 2_000

/** What a document is stored as, or what is wrong with it. */
export type ContentValidation = { readonly json: string } | { readonly faults: readonly string[] }

interface Branch {
  readonly html?: unknown
  readonly children?: readonly Branch[]
}

/**
 * Checks a document against the builder's schema, and its HTML against the limits. Then it is built once, as for a visitor:
 * what is accepted here can be shown in the same time and memory.
 */
export function validateContent(document: unknown): ContentValidation {
  const json = JSON.stringify(document) ?? 'null'
  if (Buffer.byteLength(json) > maxBytes) return { faults: [`must have ${maxBytes} bytes at most`] }
  const read = Page.safeParse(document)
  if (!read.success) {
    return { faults: read.error.issues.slice(0, 100).map(({ path, message }) => at(path.join('.'), message)) }
  }
  const root = read.data.root as readonly Branch[]
  if (nodesOf(root) > maxNodes) return { faults: [`must have ${maxNodes} nodes at most`] }
  const faults = faultsOfHtml(root, 'root')
  if (faults.length > 0) return { faults }
  const { parts } = buildPageData({ title: '', description: '', document, questions: [], action: '', nextUrl: null })
  const fields = parts.filter((part) => typeof part !== 'string' && part.kind !== 'form').length
  return fields >= maxMergeFields ? { faults: [`must have fewer than ${maxMergeFields} merge fields`] } : { json }
}

/** A message about a place in a document. */
export function at(path: string, message: string): string {
  return path === '' ? message : `${path} ${message}`
}

function nodesOf(branches: readonly Branch[]): number {
  return branches.reduce((count, { children }) => count + 1 + nodesOf(children ?? []), 0)
}

function faultsOfHtml(branches: readonly Branch[], path: string): string[] {
  return branches.flatMap(({ html, children }, index) => {
    const place = `${path}.${index}`
    const fault = typeof html === 'string' ? htmlFaultOf(html) : undefined
    return [
      ...(fault === undefined ? [] : [at(`${place}.html`, fault)]),
      ...faultsOfHtml(children ?? [], `${place}.children`),
    ]
  })
}
