import type { contactFilters } from '../../contacts/index.ts'
import { readCondition } from '../../content/index.ts'
import { type Condition, contentError, type MessageDocument } from '../../content/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { problemOfBody } from '../bodies/body-parser.ts'
import type { ConditionalRange } from '../bodies/conditional-parts.ts'
import { compile } from '../compile/compiler.ts'
import * as accountTemplates from '../templates/account-templates.ts'
import { type ShippedTemplateKey, shippedTemplates } from '../templates/shipped-templates.ts'

type Optional<Shape> = { readonly [Key in keyof Shape]?: Shape[Key] | null | undefined }

/** A body as clients send it: HTML and text, a document of blocks, as an object or as JSON text, or that of a template. */
export type BodyInput = Optional<{
  html: string
  text: string
  content: unknown
  shippedTemplate: ShippedTemplateKey
  templateId: string | number
}>

/** The conditions of a body as they are stored: their filters by number, and the parts of the text that they are about. */
export interface BodyConditions {
  readonly filters: readonly contactFilters.ContactFilter[]
  /** Where each condition is in the document. */
  readonly paths: readonly (readonly string[])[]
  readonly text: readonly ConditionalRange[]
}

/** The conditions of a body that is the same for all contacts. */
export const noConditions: BodyConditions = { filters: [], paths: [], text: [] }

/** A body that can be stored. Without `content`, the document and its conditions stay as they are. */
export interface CheckedBody extends Optional<{ html: string; text: string }> {
  readonly content?: MessageDocument | null
  readonly conditions?: BodyConditions
  /** Version of the look in which a document was compiled. */
  readonly look?: string
  /** The reusable blocks in the document. */
  readonly reusableBlockIds?: readonly number[]
}

/**
 * Validates a body before the transaction that stores it, and compiles a document. HTML replaces the document of before; empty
 * HTML with a text makes a message without HTML.
 *
 * **Throws** VALIDATION_ERROR for `html`, `text` or `content` if the body is invalid, exceeds `bodyLimits`, or takes too long or
 * too much memory to process, RATE_LIMITED if too much work waits, and FORBIDDEN for a condition whose scope the key lacks.
 */
export async function checkBody(ctx: Ctx, input: BodyInput): Promise<CheckedBody> {
  const { html, text } = input
  const content = await contentOf(ctx, input)
  if (content === undefined || content === null) {
    if (html === '' && !text?.trim()) throw invalid({ html: ['must not be empty without a text'] })
    const problem = await problemOfBody(ctx, { html: html ?? '', text })
    if (problem) throw invalid({ [problem.field]: [problem.problem] })
    return { html, text, ...(typeof html === 'string' && { content: null, conditions: noConditions }) }
  }
  if (typeof html === 'string' || typeof text === 'string') {
    throw contentError(['must not be combined with html or text, which are made of it'])
  }
  const { conditions, conditional, ...compiled } = await compile(ctx, content)
  const isConditional = conditions.length > 0
  const problem = await problemOfBody(ctx, { ...compiled, conditional: isConditional ? conditional : null })
  if (problem) throw contentError([`as ${problem.field} ${problem.problem}`])
  return { ...compiled, conditions: isConditional ? await readConditions(ctx, conditions, conditional) : noConditions }
}

async function readConditions(
  ctx: Ctx,
  conditions: readonly Condition[],
  text: readonly ConditionalRange[],
): Promise<BodyConditions> {
  const filters: contactFilters.ContactFilter[] = []
  // One after another: a filter may load the segments that it names.
  for (const { filter, paths } of conditions) filters.push(await readCondition(ctx, filter, `${paths[0]}.showTo`))
  return { filters, paths: conditions.map(({ paths }) => paths), text }
}

/** Returns whether an input has a document, its own or that of a template. */
export function hasDocument({ content, shippedTemplate, templateId }: BodyInput): boolean {
  return content != null || shippedTemplate != null || templateId != null
}

/** Returns the document of an input: its own, or that of a template. **Throws** NOT_FOUND for the field `templateId`. */
async function contentOf(ctx: Ctx, { content, shippedTemplate, templateId }: BodyInput): Promise<unknown> {
  if ([content, shippedTemplate, templateId].filter((each) => each != null).length > 1) {
    throw contentError(['must not be combined with a template'])
  }
  if (templateId != null) return accountTemplates.contentOf(ctx, templateId)
  return shippedTemplate == null ? content : shippedTemplates[shippedTemplate].content
}
