import { z } from 'zod'
import type { Brand as BrandRow } from '../../../prisma/generated/client/client.ts'
import { announcePageChange, ownAccount } from '../../account/index.ts'
import { lockKind, shareKind } from '../../db/account-lock.ts'
import { type Ctx, one } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { asciiDomain } from '../../kernel/values/address-key.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { contrastOf, minContrast } from '../blocks/contrast.ts'
import { type Font, Fonts, fonts, SocialLinks } from '../blocks/message-content.ts'
import { color, pictureUrl } from '../blocks/values.ts'
import { record, withReplacements } from '../media/media-uses.ts'
import { type PlaceSource, ports } from '../ports.ts'
import { type BrandStyle, defaultStyle, type PageStyle } from './brand-style.ts'

/** How messages of an account look. */
export interface Brand extends Omit<BrandStyle, 'logo'> {
  /** Empty if there is no logo. */
  readonly logoUrl: string
  readonly logoAlt: string
  /** Domains whose links in messages get no UTM parameters, with their subdomains. */
  readonly utmExcludedDomains: readonly string[]
  /** Until the first change, the time at which the account was created. */
  readonly updatedAt: Date
}

/** A domain, which is stored as it is in the DNS. */
const Domain = z
  .string()
  .transform((domain) => asciiDomain(domain.trim()) ?? '')
  .refine((domain) => domain.length <= 253 && /^[a-z0-9-]+(?:[.][a-z0-9-]+)*$/.test(domain), 'must be a domain')

const ChangeRules = z
  .object({
    logoUrl: pictureUrl,
    logoAlt: text(255),
    backgroundColor: color,
    contentColor: color,
    textColor: color,
    accentColor: color,
    font: Fonts,
    address: text(500),
    links: SocialLinks,
    utmExcludedDomains: z.array(Domain).max(100, 'must have at most 100 domains'),
  })
  .partial()

type BrandChange = { readonly [Key in keyof z.output<typeof ChangeRules>]?: z.output<typeof ChangeRules>[Key] | null }

const brandTable = table('Brand', 'b')

const brandByAccount = one<number, BrandRow>(async (ctx) => {
  const rows = await ctx.db.brand.findMany({ where: { accountId: ctx.accountId } })
  return new Map(rows.map((row) => [row.accountId, row]))
})

/** Returns the brand of the account. Until it is set, it has the colours and the font of the server. */
export async function load(ctx: Ctx): Promise<Brand> {
  const stored = await ctx.load(brandByAccount, ctx.accountId)
  if (stored) return brandOf(stored)
  const { logo: _logo, ...style } = defaultStyle
  const { createdAt: updatedAt } = await ownAccount(ctx)
  return { ...style, logoUrl: '', logoAlt: '', utmExcludedDomains: [], updatedAt }
}

/** Returns the style of messages of the account. */
export async function styleOf(ctx: Ctx): Promise<BrandStyle> {
  return styleOfBrand(await load(ctx))
}

function styleOfBrand({
  logoUrl,
  logoAlt,
  updatedAt: _updatedAt,
  utmExcludedDomains: _domains,
  ...style
}: Brand): BrandStyle {
  return { ...style, logo: logoUrl === '' ? null : { src: logoUrl, alt: logoAlt } }
}

/** Returns the style of pages of the account. Null until the brand is set: pages then have the style of the server. */
export async function pageStyleOf(ctx: Ctx): Promise<PageStyle | null> {
  const stored = await ctx.load(brandByAccount, ctx.accountId)
  if (!stored) return null
  const { contentColor: backgroundColor, textColor: color, accentColor, font } = brandOf(stored)
  return { backgroundColor, color, accentColor, fontFamily: fonts[font] }
}

/** What messages show of the account. */
export interface Look {
  readonly style: BrandStyle
  /** Differs after each change of the brand. */
  readonly version: string
}

/** Returns what messages show of the account now, whatever the context has loaded before. */
export async function lookOf(ctx: Ctx): Promise<Look> {
  // xmin, because two changes may have the same time.
  const [row] = await ctx.sql<BrandRow & { version: string }>`
    SELECT ${brandTable.columns}, b.xmin::text AS version ${brandTable.from(ctx)}`
  if (!row) return { style: defaultStyle, version: '' }
  const { version, ...stored } = row
  return { style: styleOfBrand(brandOf(stored)), version }
}

/** Returns what messages show of the account, which no other transaction changes until this one ends. */
export async function shareLook(tx: Ctx): Promise<Look> {
  await shareKind(tx, 'brand')
  return lookOf(tx)
}

/** Returns the brand, which no other transaction changes until this one ends. */
export async function lock(tx: Ctx): Promise<Brand> {
  await lockKind(tx, 'brand')
  return load(tx)
}

/**
 * Updates the brand; absent fields stay as they are. Messages of blocks that are not fixed yet are made again. Emits
 * `brand.updated`, unless no field is set. **Throws** VALIDATION_ERROR, also for text that is hard to read on the content.
 */
export async function update(ctx: Ctx, input: BrandChange): Promise<{ brand: Brand }> {
  const change = sent(check(ChangeRules, sent(input)))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx)
    if (Object.keys(change).length === 0) return { brand: before }
    const after = { ...before, ...change, updatedAt: tx.clock.now() }
    if (contrastOf(after.textColor, after.contentColor) < minContrast.text) {
      const field = change.textColor === undefined ? 'contentColor' : 'textColor'
      throw invalid({ [field]: [`must have a contrast of at least ${minContrast.text} to the other (WCAG 2.2)`] })
    }
    const { links, utmExcludedDomains: domains, ...rest } = after
    const data = { ...rest, links: links.map((link) => ({ ...link })), utmExcludedDomains: [...new Set(domains)] }
    const row = await tx.db.brand.upsert({
      where: { accountId: tx.accountId },
      create: { ...data, accountId: tx.accountId },
      update: data,
    })
    await recordUses(tx)
    await emit(tx, 'brand.updated', { accountId: tx.accountId })
    await ports.remakeMessages(tx)
    await announcePageChange(tx)
    return { brand: brandOf(row) }
  })
}

/** Stores which media file is the logo. */
async function recordUses(tx: Ctx): Promise<void> {
  const texts = sql`SELECT b.account_id, b.logo_url FROM brand b WHERE b.account_id = ${tx.sql.account}`
  await record(tx, 'brand', { ids: [tx.accountId], texts, field: 'logoUrl' })
}

/** The brand as a place of media files. */
export const mediaPlaces: PlaceSource = {
  find: async (ctx) =>
    new Map([[ctx.accountId, { type: 'Brand', id: ctx.accountId, title: 'Brand', needs: 'mail:read' }]]),
  replace: async (tx, _ids, parts) => {
    mustBeAllowed(tx, 'mail:write')
    await lock(tx)
    await tx.sql`
      UPDATE brand b SET logo_url = ${withReplacements(sql`b.logo_url`, parts)}, updated_at = ${tx.clock.now()}::timestamptz
      WHERE b.account_id = ${tx.sql.account}`
    await emit(tx, 'brand.updated', { accountId: tx.accountId })
  },
}

function brandOf({ accountId: _accountId, font, links, ...row }: BrandRow): Brand {
  return { ...row, font: font as Font, links: links as unknown as Brand['links'] }
}
