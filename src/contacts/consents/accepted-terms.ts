import { type Sql, sql } from '../../db/sql.ts'

/**
 * Terms that a visitor accepted, with the proof: the words as shown, the version of the document that showed them, the address
 * and the time. They grant no consent. Stored as JSON with the submission or the order, and exported as they are.
 */
export interface AcceptedTerms {
  /** Origin, such as `funnel:3/order`, as that of a consent. */
  readonly source: string
  readonly text: string
  /** Version of the page, or of the question. */
  readonly document_version: string
  /** Absent if the person was erased. */
  readonly ip?: string
  readonly accepted_at: string
  /** The question whose answer it is; absent for the terms of a page. */
  readonly question_id?: number
}

/** Maximum length of the stored words, as of a consent. */
const maxTextLength = 5_000

/** Returns accepted terms as they are stored. */
export function newAcceptedTerms(
  { text, version, ...rest }: { source: string; text: string; version: number; ip: string; question_id?: number },
  at: Date,
): AcceptedTerms {
  return {
    ...rest,
    text: text.slice(0, maxTextLength),
    document_version: String(version),
    accepted_at: at.toISOString(),
  }
}

/** What is left of accepted terms of an erased person: they stay proof of an agreement, without the IP address. */
export function impersonalTerms(terms: Sql): Sql {
  return sql`coalesce((SELECT jsonb_agg(e.value - 'ip' ORDER BY e.ordinality) FROM jsonb_array_elements(${terms}) WITH ORDINALITY e),
    '[]'::jsonb)`
}
