import type { FunnelStep } from '../../../prisma/generated/client/client.ts'
import { brands } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { questionList } from '../../forms/index.ts'
import { pageOf } from '../html/compile.ts'
import { branded } from './branded.ts'
import { parseContent } from './content-input.ts'
import { contentOf, versionKey, versionsOf } from './contents.ts'
import { buildPage } from './page-build.ts'

/**
 * Renders the page of a step with a content that is not saved, by default with the content of its newest version. Merge fields
 * show their fallback. Stores nothing. Returns null if the step has no content.
 *
 * **Throws** VALIDATION_ERROR with the path of each invalid value of the document.
 */
export async function render(ctx: Ctx, step: FunnelStep, content: unknown): Promise<string | null> {
  const document = content == null ? await newestContent(ctx, step.id) : JSON.parse(await parseContent(ctx, content))
  if (document === null) return null
  const questions = await ctx.load(questionList.ofForm, step.formId)
  const look = branded(document, await brands.pageStyleOf(ctx))
  const source = { title: step.title || step.name, description: step.description, document: look, questions }
  ctx.rows?.mustNotBeExceeded()
  const data = await buildPage(ctx.accountId, { ...source, action: '', nextUrl: '#' })
  const html = pageOf(data).render({ values: () => '' })
  ctx.rows?.read(Buffer.byteLength(html), 'previews of pages')
  return html
}

async function newestContent(ctx: Ctx, stepId: number): Promise<unknown> {
  const [newest] = await ctx.load(versionsOf, stepId)
  return newest ? ((await ctx.load(contentOf, versionKey(newest)))?.content ?? null) : null
}
