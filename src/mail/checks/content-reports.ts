import { customFields, examplePerson, mergeFieldNames, mergeValuesOf } from '../../contacts/index.ts'
import { looks, mediaList } from '../../content/index.ts'
import {
  type BrandStyle,
  blocksOf,
  type MessageBlock,
  type MessageDocument,
  type ReusableBlocks,
  referencesIn,
  shownWithin,
} from '../../content/rendering.ts'
import { type Ctx, one } from '../../db/context.ts'
import { zoneOf } from '../../db/zone.ts'
import { checkContentOf } from '../bodies/body-parser.ts'
import type { ContentReport, ContentSource } from '../bodies/content-check.ts'
import type { BodyProblem } from '../bodies/email-body.ts'
import { contrastFaultsOf, incompleteBlocksOf } from '../compile/block-faults.ts'
import { conditionsOf } from '../emails/body-changes.ts'
import type { BodyConditions } from '../emails/body-input.ts'
import { confirmationExample } from '../emails/confirmation-emails.ts'
import { blocksById, byId, contentById, type Email } from '../emails/emails.ts'
import { envelopeOf } from '../messages/envelope.ts'
import { exampleAddresses, exampleRef, withMessageLinks } from '../messages/message-links.ts'

/** Size from which a picture takes long to load, in bytes, and the most that a report names. */
const maxPictureBytes = 200_000
const maxHeavy = 50

/** What was found in an e-mail: in its body, and in the blocks of which it was made. */
interface EmailReport extends ContentReport {
  /** Paths of the blocks whose text is hard to read. */
  readonly lowContrast: readonly string[]
  /** Paths of the blocks that have no picture or no link yet. */
  readonly incomplete: readonly string[]
  /** Pictures of the media library with more than 200 kB, and the path of the block that shows each. */
  readonly heavyPictures: readonly { readonly url: string; readonly bytes: number; readonly path?: string }[]
  /** Also if there is no HTML that could have one. */
  readonly hasPreheader: boolean
  /** The conditions of blocks, and where they are. */
  readonly conditions: Pick<BodyConditions, 'filters' | 'paths'>
  /** Why the body was not made again after a change of the brand. */
  readonly compileError: string | null
}

/**
 * Checks the contents of e-mails as an example contact would get them, by id of the e-mail. A report is null if there is no
 * such e-mail, and a problem if its body cannot be sent. A fixed number of statements. **Throws** RATE_LIMITED if too many
 * tasks wait.
 */
export const contentReports = one<number, EmailReport | BodyProblem>(async (ctx, ids) => {
  const rows = await Promise.all(ids.map((id) => ctx.load(byId, id)))
  const contents = await contentById.batch(ctx, ids)
  const documents = await blockDocuments(
    ctx,
    rows.flatMap((row) => (row && row.contentDocumentId !== null ? row.id : [])),
  )
  const example = await exampleOf(ctx)
  const reports = new Map<number, ContentReport | BodyProblem>()
  // One at a time: an account has one thread at most, and the number of its waiting tasks is limited.
  for (const email of rows.filter((row) => row !== null)) {
    const { id, subject, isConfirmation } = email
    const { html, text } = contents.get(id) ?? {}
    const conditions = conditionsOf(email)
    const conditional = conditions.filters.length > 0 ? conditions.text : null
    const envelope = await envelopeOf(ctx, email)
    const values = isConfirmation ? await confirmationExample(ctx) : example.values
    const source = {
      ...{ ...example, values, subject, envelope, html: html ?? '', text: text ?? null },
      ...{ conditional, isConfirmation },
    }
    reports.set(id, await checkContentOf(ctx, source))
  }
  const pictures = [...reports.values()].flatMap((report) => ('problem' in report ? [] : report.libraryPictures))
  const sizes = await mediaList.sizesOf(ctx, [...new Set(pictures)])
  const look = await looks.lookOf(ctx, [...documents.values()].flatMap(referencesIn))
  const reportOf = (email: Email, report: ContentReport): EmailReport => {
    const document = documents.get(email.id)
    const { brand } = look
    const reusable = document ? shownWithin(document, look.reusable) : {}
    const heavy = report.libraryPictures.filter((url) => (sizes.get(url) ?? 0) > maxPictureBytes).slice(0, maxHeavy)
    return {
      ...report,
      lowContrast: document ? contrastFaultsOf(document, brand, reusable) : [],
      incomplete: document ? incompleteBlocksOf(document, reusable) : [],
      heavyPictures: heavy.map((url) => {
        const path = document && pathOfPicture(document, brand, reusable, url)
        return { url, bytes: sizes.get(url) as number, ...(path !== undefined && { path }) }
      }),
      hasPreheader: contents.get(email.id)?.html === null || email.preheader.trim() !== '',
      conditions: conditionsOf(email),
      compileError: email.compileError,
    }
  }
  return new Map(
    rows.flatMap((email) => {
      const report = email && reports.get(email.id)
      return report ? [[email.id, 'problem' in report ? report : reportOf(email, report)]] : []
    }),
  )
})

/** Loads the documents of e-mails that are made of blocks. No statement if none is. */
async function blockDocuments(ctx: Ctx, ids: readonly number[]): Promise<ReadonlyMap<number, MessageDocument>> {
  if (ids.length === 0) return new Map()
  const blocks = await blocksById.batch(ctx, ids)
  return new Map([...blocks].flatMap(([id, { content }]) => (content ? [[id, content as MessageDocument]] : [])))
}

/** Returns the path of the first block that shows a picture. */
function pathOfPicture(
  { sections }: MessageDocument,
  { logo }: BrandStyle,
  reusable: ReusableBlocks,
  url: string,
): string | undefined {
  const shows = (block: MessageBlock) => {
    if (block.type === 'logo') return logo?.src === url
    return ('src' in block && block.src === url) || (block.type === 'html' && block.html.includes(url))
  }
  for (const [section, { columns }] of sections.entries()) {
    for (const [column, { blocks }] of columns.entries()) {
      const place = blocks.findIndex((block) => blocksOf(block, reusable)?.some(shows))
      if (place >= 0) return `sections.${section}.columns.${column}.blocks.${place}`
    }
  }
  return undefined
}

/** The values of merge fields in a message to the example contact, and its tracked URLs. */
async function exampleOf(ctx: Ctx): Promise<Pick<ContentSource, 'values' | 'addresses'>> {
  const fields = await customFields.list(ctx)
  const ref = exampleRef(ctx)
  const values = withMessageLinks(
    ctx,
    ref,
    mergeValuesOf(examplePerson, ctx.clock.now(), { zone: await zoneOf(ctx), language: '' }),
  )
  const names = [...mergeFieldNames, 'UNSUBSCRIBE_URL', 'VIEW_URL', ...fields.map(({ name }) => `FIELD.${name}`)]
  return {
    values: Object.fromEntries(names.map((name) => [name, values(name)])),
    addresses: exampleAddresses(ctx, ref),
  }
}
