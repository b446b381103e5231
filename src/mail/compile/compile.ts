import mrml from 'mrml'
import {
  type BrandStyle,
  blocksOf,
  type Condition,
  conditionsOf,
  excessOf,
  faultAt,
  MessageContent,
  type MessageDocument,
  maxConditions,
  maxContentBytes,
  ownHtmlFault,
  type ReusableBlocks,
  validated,
  withReusable,
} from '../../content/rendering.ts'
import type { ConditionalRange } from '../bodies/conditional-parts.ts'
import { mjmlOf } from './mjml.ts'
import { plainTextOf } from './plain.ts'
import { styleOf } from './style.ts'

/** A document as a client sent it, with the brand and the reusable blocks of its account. */
export interface ContentSource {
  readonly document: unknown
  readonly brand: BrandStyle
  readonly reusable: ReusableBlocks
}

/** The bodies of a message, and the document of which they were made. */
export interface CompiledContent {
  readonly content: MessageDocument
  readonly html: string
  readonly text: string
  /** The conditions under which parts of the bodies are shown, by number. Their filters are as the client sent them. */
  readonly conditions: readonly Condition[]
  /** The parts of the text that are shown under a condition. */
  readonly conditional: readonly ConditionalRange[]
}

/** Validates a document and compiles it, or returns a fault for each invalid value. For a thread: the compiler is WebAssembly. */
export function compileContent({
  document,
  brand,
  reusable,
}: ContentSource): CompiledContent | { readonly faults: readonly string[] } {
  if (Buffer.byteLength(JSON.stringify(document) ?? '') > maxContentBytes) {
    return { faults: [`must have at most ${maxContentBytes} bytes`] }
  }
  const parsed = validated(MessageContent, document)
  if ('faults' in parsed) return parsed
  const content = parsed.data
  const faults = [...faultsOfBlocks(content, reusable)]
  const excess = excessOf(content, reusable)
  if (excess !== undefined) faults.push(excess)
  if (faults.length > 0) return { faults }
  const shown = withReusable(content, reusable)
  const conditions = conditionsOf(content, reusable)
  if (conditions.length > maxConditions) return { faults: [`must have at most ${maxConditions} different conditions`] }
  const style = styleOf(content, brand)
  const { source, fill } = mjmlOf(shown, style)
  return { content, conditions, html: fill(compileMjml(source)), ...plainTextOf(shown, style) }
}

/** Compiles MJML. Each compilation has an engine of its own, because an exception leaves one unusable. */
function compileMjml(source: string): string {
  const engine = new mrml.Engine()
  try {
    // No fonts: by default the compiler links to those of a third party.
    engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} })
    const result = engine.toHtml(source)
    if (result.type === 'error') throw new Error(`MJML: ${result.message}`)
    // The compiler passes on what it does not know. All MJML is ours, so this is a fault of ours.
    const [warning] = result.warnings
    if (warning) throw new Error(`MJML: ${warning.kind} at ${warning.span.start}`)
    return result.content
  } finally {
    engine.free()
  }
}

function faultsOfBlocks({ sections }: MessageDocument, reusable: ReusableBlocks): string[] {
  return sections.flatMap(({ columns }, section) =>
    columns.flatMap(({ blocks }, column) =>
      blocks.flatMap((block, place) => {
        const path = `sections.${section}.columns.${column}.blocks.${place}`
        if (!blocksOf(block, reusable)) {
          return [faultAt(`${path}.reusableBlockId`, 'must be the id of a reusable block of the account')]
        }
        const fault = block.type === 'html' ? ownHtmlFault(block.html) : undefined
        return fault === undefined ? [] : [faultAt(`${path}.html`, fault)]
      }),
    ),
  )
}
