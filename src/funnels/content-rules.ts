import { invalid } from '../kernel/errors.ts'
import { Page } from './builder-content.ts'

/** The most bytes of a page's document, as JSON. */
const mostBytes = 512 * 1024

/** How deep a document goes: objects in objects, and lists directly in lists. */
const deepest = 12

/** How many sections, rows, columns and elements a page has, all together. */
const mostNodes = 2_000

/** How many faults one answer names. */
const mostFaults = 20

/**
 * A page's document as it is stored: JSON, checked against the builder's schema. It comes as an object or as its JSON.
 * Properties that the schema does not know are kept as they are. Fails with VALIDATION_ERROR naming each place that breaks
 * a rule, under `content`.
 */
export function readContent(given: unknown): string {
  const document = typeof given === 'string' ? parsed(given) : given
  const faults: string[] = []
  walk(document, '', 0, faults)
  if (faults.length > 0) throw refused(faults)
  const json = JSON.stringify(document) ?? 'null'
  if (Buffer.byteLength(json) > mostBytes) throw refused([`must have ${mostBytes} bytes at most`])
  const read = Page.safeParse(document)
  if (!read.success) {
    throw refused(read.error.issues.map(({ path, message }) => at(path.join('.'), message)))
  }
  if (nodesOf(read.data.root) > mostNodes) throw refused([`must have ${mostNodes} nodes at most`])
  return json
}

function parsed(text: string): unknown {
  // What is longer than this cannot be short enough, however it is written.
  if (text.length > 2 * mostBytes) throw refused([`must have ${mostBytes} bytes at most`])
  try {
    return JSON.parse(text)
  } catch {
    throw refused(['must be an object, or the JSON of one'])
  }
}

/** Finds what JSON allows and a database or a browser does not. Goes no deeper than a document may. */
function walk(value: unknown, path: string, depth: number, faults: string[], isInList = false): void {
  if (faults.length >= mostFaults) return
  if (typeof value === 'string') {
    if (!isStorable(value)) faults.push(at(path, 'must not contain characters that cannot be stored'))
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) faults.push(at(path, 'must be a number that can be told from infinity'))
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value)
    const level = isList && !isInList ? depth : depth + 1
    if (level > deepest) {
      faults.push(at(path, `must not go deeper than ${deepest} levels`))
      return
    }
    for (const [key, each] of Object.entries(value)) {
      const place = path === '' ? key : `${path}.${key}`
      if (!isStorable(key)) faults.push(at(path, 'has a property whose name cannot be stored'))
      else if (key === '__proto__') faults.push(at(path, 'must not have the property __proto__'))
      else walk(each, place, level, faults, isList)
    }
  }
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

interface Branch {
  children?: readonly Branch[]
}

function nodesOf(branches: readonly unknown[]): number {
  return (branches as readonly Branch[]).reduce((count, { children }) => count + 1 + nodesOf(children ?? []), 0)
}

function at(path: string, message: string): string {
  return path === '' ? message : `${path} ${message}`
}

function refused(faults: readonly string[]) {
  return invalid({ content: faults.slice(0, mostFaults) })
}
