import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** The ids of the rows of `fill.sql` in one account. */
export interface Named {
  tags: number[]
  sequence: number
  campaigns: number[]
  fields: number[]
}

/** A filter, and its conditions as a person writes them, with the ids of the account. */
export interface Case {
  filter: (ids: Named) => object
  where: (ids: Named) => string
  /** The sort key, if it is not the time of creation. */
  rank?: string
}

const tagged = (id: number | undefined) =>
  `EXISTS (SELECT FROM contact_tag t WHERE t.account_id = c.account_id AND t.contact_id = c.id AND t.tag_id = ${id})`
const inTag = (id: number | undefined) =>
  `c.id IN (SELECT contact_id FROM contact_tag WHERE account_id = $1 AND tag_id = ${id})`
const opened = (ids: readonly number[]) =>
  `c.id IN (SELECT contact_id FROM mail_recipient WHERE account_id = $1 AND campaign_id IN (${ids}) AND opened_at IS NOT NULL)`
const sized = (id: number | undefined, value: string) =>
  `c.id IN (SELECT contact_id FROM contact_field WHERE account_id = $1 AND custom_field_id = ${id} AND left(lower(value), 100) = '${value}')`

const words = `lower(' ' || c.email || ' ' || c.first_name || ' ' || c.last_name || ' ' || c.company_name || ' ' || c.phone)`
const has = (part: string) => `${words} LIKE '%${part}%'`
const rankOf = (word: string) =>
  `CASE WHEN ${words} || ' ' LIKE '% ${word} %' THEN 2 WHEN ${words} LIKE '% ${word}%' THEN 1 ELSE 0 END`

/** The measured filters, by what a person would call them. */
export const cases: Readonly<Record<string, Case>> = {
  'one tag': { filter: ({ tags: [a] }) => ({ tags: { any: [a] } }), where: ({ tags: [a] }) => inTag(a) },
  'two tags and not a third': {
    filter: ({ tags: [a, b, c] }) => ({ tags: { all: [a, b], none: [c] } }),
    where: ({ tags: [a, b, c] }) => `${inTag(a)} AND ${inTag(b)} AND NOT ${tagged(c)}`,
  },
  'tags, size, country and opened one of three': {
    filter: ({ tags: [a, b, c], campaigns, fields: [field] }) => ({
      tags: { all: [a, b], none: [c] },
      customFields: [{ id: field, text: { eq: 'M' } }],
      country: { eq: 'France' },
      campaignsOpened: { any: campaigns.slice(1) },
    }),
    where: ({ tags: [a, b, c], campaigns, fields: [field] }) =>
      `${inTag(a)} AND ${inTag(b)} AND NOT ${tagged(c)} AND ${sized(field, 'm')} AND lower(c.country) = 'france'
       AND ${opened(campaigns.slice(1))}`,
  },
  'part of an address': {
    filter: () => ({ email: { contains: 'ct12345' } }),
    where: () => `${has('ct12345')} AND lower(c.email) LIKE '%ct12345%'`,
  },
  'a search of one letter, which begins a word of all': { filter: () => ({ search: 'c' }), where: () => has(' c') },
  'a search of three letters, the beginning of a word of three in ten': {
    filter: () => ({ search: 'nor' }),
    where: () => has('nor'),
    rank: rankOf('nor'),
  },
  'a search of three letters, a part of a word of three in ten': {
    filter: () => ({ search: 'ord' }),
    where: () => has('ord'),
    rank: rankOf('ord'),
  },
  'a search of a full name': {
    filter: () => ({ search: 'last2077 first77' }),
    where: () => `${has('last2077')} AND ${has('first77')}`,
    rank: `${rankOf('last2077')} + ${rankOf('first77')}`,
  },
  'city in a list': {
    filter: () => ({ city: { in: ['City7', 'city1200'] } }),
    where: () => `lower(c.city) IN ('city7', 'city1200')`,
  },
  'created in a time, with consent': {
    filter: () => ({ createdAt: { gte: '2026-01-02T00:00:00Z', lt: '2026-01-05T00:00:00Z' }, emailMarketing: true }),
    where: () => `c.created_at >= '2026-01-02Z' AND c.created_at < '2026-01-05Z' AND c.email_marketing`,
  },
  'one of two tags or enrolled': {
    filter: ({ tags: [a, b], sequence }) => ({ or: [{ tags: { any: [a, b] } }, { sequences: { any: [sequence] } }] }),
    where: ({ tags: [a, b], sequence }) => `c.id IN (
      SELECT contact_id FROM contact_tag WHERE account_id = $1 AND tag_id IN (${a}, ${b})
      UNION SELECT contact_id FROM enrolment WHERE account_id = $1 AND sequence_id = ${sequence} AND state = 'ACTIVE')`,
  },
  'sent, not opened, not tagged': {
    filter: ({ tags: [a], campaigns: [campaign] }) => ({
      campaignsNotOpened: { any: [campaign] },
      not: { tags: { any: [a] } },
    }),
    where: ({ tags: [a], campaigns: [campaign] }) => `c.id IN (SELECT contact_id FROM mail_recipient
      WHERE account_id = $1 AND campaign_id = ${campaign} AND sent_at IS NOT NULL AND opened_at IS NULL) AND NOT ${tagged(a)}`,
  },
  'a number in a range': {
    filter: ({ fields: [, field] }) => ({ customFields: [{ id: field, number: { gte: 10, lte: 12 } }] }),
    where: ({ fields: [, field] }) => `c.id IN (SELECT contact_id FROM contact_field
      WHERE account_id = $1 AND custom_field_id = ${field} AND number BETWEEN 10 AND 12)`,
  },
  'a day before another, and a size': {
    filter: ({ fields: [field, , day] }) => ({
      customFields: [
        { id: day, date: { lt: '2020-02-01' } },
        { id: field, text: { eq: 'XL' } },
      ],
    }),
    where: ({ fields: [field, , day] }) => `c.id IN (SELECT contact_id FROM contact_field
      WHERE account_id = $1 AND custom_field_id = ${day} AND day < '2020-02-01') AND ${sized(field, 'xl')}`,
  },
}

/** Inserts `size` contacts into each account, with what the filters ask for. Requires a superuser. */
export async function fill(client: pg.Client, size: number): Promise<void> {
  await client.query('SET session_replication_role = replica')
  await client.query(`SET bench.size = ${size}`)
  await client.query(await readFile(new URL('fill.sql', import.meta.url), 'utf8'))
  await client.query('RESET session_replication_role')
}

/** Returns the ids of the rows of `fill.sql` in an account. */
export async function namesOf(client: pg.Client, accountId: number): Promise<Named> {
  const ids = async (table: string) =>
    (await client.query(`SELECT id FROM ${table} WHERE account_id = $1 ORDER BY id`, [accountId])).rows.map(
      ({ id }) => id,
    )
  const [sequence] = await ids('sequence')
  return { tags: await ids('tag'), sequence, campaigns: await ids('campaign'), fields: await ids('custom_field') }
}
