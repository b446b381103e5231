import { z } from 'zod'
import { line, prose } from './values.ts'

// Text with formats, as the tree that editors based on ProseMirror store. Attributes that are not named here are left out.

/** How deep lists can be nested. */
const maxListDepth = 4

/** The name of a merge field, as in `{{FIRST_NAME}}` and `{{FIELD.city}}`. */
const fieldName = z
  .string()
  .regex(/^(?:FIELD\.[^{}:\s](?:[^{}:]{0,253}[^{}:\s])?|[A-Z][A-Z0-9_]{0,63})$/, 'must be the name of a merge field')
  .describe('`FIRST_NAME`, or `FIELD.` and the name of a custom field.')

const fallback = line
  .regex(/^[^{}]*$/, 'must not contain braces')
  .nullish()
  .describe('Text that is used if the value is empty.')

/** Returns the schemas of formatted text with links of one kind: of one line, such as a heading, and of paragraphs and lists. */
export function richTextOf(href: z.ZodString) {
  const Mark = z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.enum(['bold', 'italic', 'underline']) }),
      z.object({ type: z.literal('link'), attrs: z.object({ href }) }),
    ],
    { error: 'must be one of bold, italic, underline, link' },
  )
  const marks = z
    .array(Mark)
    .max(4, 'must have at most 4 items')
    // Links do not nest in HTML.
    .refine((all) => all.filter(({ type }) => type === 'link').length <= 1, 'must have at most one link')
    .optional()
  const Inline = z
    .discriminatedUnion(
      'type',
      [
        z.object({ type: z.literal('text'), text: prose.min(1, 'must not be empty'), marks }),
        z.object({ type: z.literal('mergeField'), attrs: z.object({ name: fieldName, fallback }), marks }),
        z.object({ type: z.literal('hardBreak') }),
      ],
      { error: 'must be one of text, mergeField, hardBreak' },
    )
    .meta({ id: 'Inline', description: 'Text with its marks, a merge field, or a line break.' })
  const InlineText = z.array(Inline).max(1_000, 'must have at most 1000 items')
  const textAlign = z.enum(['left', 'center', 'right', 'justify']).nullish()
  const Paragraph = z
    .object({
      type: z.literal('paragraph'),
      attrs: z.object({ textAlign }).optional(),
      content: InlineText.optional(),
    })
    .meta({ id: 'Paragraph' })

  /** Paragraphs, and lists in which others are nested at most `depth` deep. */
  const nodesOf = (depth: number): z.ZodType<RichTextNode> => {
    const isDeepest = depth === 0
    return z.discriminatedUnion('type', isDeepest ? [Paragraph] : [Paragraph, listOf(depth)], {
      error: isDeepest
        ? `must be a paragraph, because lists are nested at most ${maxListDepth} deep`
        : 'must be one of paragraph, bulletList, orderedList',
    }) as unknown as z.ZodType<RichTextNode>
  }
  const listOf = (depth: number) => {
    const item = z.object({ type: z.literal('listItem'), content: z.array(nodesOf(depth - 1)).max(100) })
    return z.object({
      type: z.enum(['bulletList', 'orderedList']),
      content: z.array(item).min(1, 'must not be empty').max(500, 'must have at most 500 items'),
    })
  }
  const RichText = z
    .object({
      type: z.literal('doc'),
      content: z.array(nodesOf(maxListDepth)).max(1_000, 'must have at most 1000 items'),
    })
    .meta({ id: 'RichText', description: 'Paragraphs and lists, in the form of ProseMirror and TipTap.' })
  return { InlineText, RichText }
}

interface InlineMarks {
  readonly marks?: readonly Mark[] | undefined
}
type Mark =
  | { readonly type: 'bold' | 'italic' | 'underline' }
  | { readonly type: 'link'; readonly attrs: { readonly href: string } }
export type InlineNode =
  | (InlineMarks & { readonly type: 'text'; readonly text: string })
  | (InlineMarks & {
      readonly type: 'mergeField'
      readonly attrs: { readonly name: string; readonly fallback?: string | null | undefined }
    })
  | { readonly type: 'hardBreak' }
interface ParagraphNode {
  readonly type: 'paragraph'
  readonly attrs?: { readonly textAlign?: string | null | undefined } | undefined
  readonly content?: readonly InlineNode[] | undefined
}
interface ListNode {
  readonly type: 'bulletList' | 'orderedList'
  readonly content: readonly RichTextBody[]
}
export type RichTextNode = ParagraphNode | ListNode
/** What contains paragraphs and lists: a text, or an item of a list. */
export interface RichTextBody {
  readonly content: readonly RichTextNode[]
}
