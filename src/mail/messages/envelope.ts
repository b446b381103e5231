import { brands } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import type { Envelope } from '../bodies/email-body.ts'
import type { Utm } from '../bodies/utm.ts'

/** The columns of an e-mail that change its body. */
interface EnvelopeRow {
  readonly preheader: string
  readonly language: string
  /** UTM parameters as they are stored: without empty values. */
  readonly utm: unknown
}

/** Whether the links of an e-mail get UTM parameters. */
export function hasUtm({ utm }: Pick<EnvelopeRow, 'utm'>): boolean {
  return Object.keys(utm as Utm).length > 0
}

/** Returns what changes the body of an e-mail. Reads the brand, once, if its links get parameters. */
export async function envelopeOf(ctx: Ctx, row: EnvelopeRow): Promise<Envelope> {
  const { utmExcludedDomains: excludedDomains } = hasUtm(row) ? await brands.load(ctx) : { utmExcludedDomains: [] }
  return {
    preheader: row.preheader,
    language: row.language === '' ? null : row.language,
    links: { utm: row.utm as Utm, excludedDomains },
  }
}
