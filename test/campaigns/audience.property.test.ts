// @module-tag rows
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { AudienceRead } from './documents.ts'

/** What happened between a campaign and a contact. */
type Reaction = 'none' | 'queued' | 'sent' | 'opened' | 'clicked'

interface Person {
  optIn: boolean
  tags: boolean[]
  sequences: ('no' | 'active' | 'ended')[]
  campaigns: Reaction[]
}

const kinds = ['Tag', 'Sequence', 'Opened', 'NotOpened', 'Clicked', 'NotClicked'] as const
type Kind = (typeof kinds)[number]

/** Indexes into the lists of the world. An index past the end stands for an unknown id. */
type Filter = Record<`${'include' | 'exclude'}${Kind}Ids`, number[] | undefined>

const [tagCount, sequenceCount, campaignCount] = [3, 2, 3]

const person: fc.Arbitrary<Person> = fc.record({
  optIn: fc.boolean(),
  tags: fc.array(fc.boolean(), { minLength: tagCount, maxLength: tagCount }),
  sequences: fc.array(fc.constantFrom('no', 'active', 'ended'), { minLength: sequenceCount, maxLength: sequenceCount }),
  campaigns: fc.array(fc.constantFrom('none', 'queued', 'sent', 'opened', 'clicked'), {
    minLength: campaignCount,
    maxLength: campaignCount,
  }),
})
const places = fc.option(fc.array(fc.nat({ max: 3 }), { maxLength: 3 }), { nil: undefined, freq: 2 })
const filter = fc.record(
  Object.fromEntries(kinds.flatMap((kind) => [`include${kind}Ids`, `exclude${kind}Ids`]).map((name) => [name, places])),
) as fc.Arbitrary<Filter>

/** Whether one list of a filter matches a person. */
function isIn(kind: Kind, list: readonly number[], { tags, sequences, campaigns }: Person): boolean {
  return list.some((place) => {
    const campaign = campaigns[place] ?? 'none'
    const wasSent = ['sent', 'opened', 'clicked'].includes(campaign)
    switch (kind) {
      case 'Tag':
        return tags[place] === true
      case 'Sequence':
        return sequences[place] === 'active'
      case 'Opened':
        return ['opened', 'clicked'].includes(campaign)
      case 'NotOpened':
        return wasSent && !['opened', 'clicked'].includes(campaign)
      case 'Clicked':
        return campaign === 'clicked'
      default:
        return wasSent && campaign !== 'clicked'
    }
  })
}

/** The people that a filter matches, by a plain evaluation of its rules. */
function matches(input: Filter, one: Person): boolean {
  const listsOf = (direction: 'include' | 'exclude') =>
    kinds.flatMap((kind) => {
      const list = input[`${direction}${kind}Ids`]
      return list && list.length > 0 ? [isIn(kind, list, one)] : []
    })
  const [included, excluded] = [listsOf('include'), listsOf('exclude')]
  if (excluded.some(Boolean)) return false
  return included.length === 0 || included.some(Boolean)
}

interface Ids {
  contacts: number[]
  lists: Record<Kind, number[]>
}

async function build({ accountId, rows }: World, people: readonly Person[]): Promise<Ids> {
  const created = async (sql: string, count: number, ...more: unknown[]) =>
    (await rows<{ id: number }>(`${sql} RETURNING id`, [accountId, count, ...more])).map(({ id }) => id)
  const contacts = await created(
    `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
     SELECT $1, n || '@example.com', ($3::boolean[])[n], now(), now() FROM generate_series(1, $2::int) n`,
    people.length,
    people.map(({ optIn }) => optIn),
  )
  const tags = await created(
    'INSERT INTO tag (account_id, name, created_at) SELECT $1, n, now() FROM generate_series(1, $2::int) n',
    tagCount,
  )
  const sequences = await created(
    `INSERT INTO sequence (account_id, name, type, created_at) SELECT $1, n, 'NORMAL', now() FROM generate_series(1, $2::int) n`,
    sequenceCount,
  )
  const emails = await created(
    'INSERT INTO email (account_id, created_at, updated_at) SELECT $1, now(), now() FROM generate_series(1, $2::int)',
    campaignCount,
  )
  const campaigns = await created(
    `INSERT INTO campaign (account_id, name, email_id, status, created_at)
     SELECT $1, n, ($3::int[])[n], 'SENDING', now() FROM generate_series(1, $2::int) n`,
    campaignCount,
    emails,
  )
  for (const [index, { tags: own, sequences: enrolled, campaigns: seen }] of people.entries()) {
    const contact = contacts[index]
    for (const [place, has] of own.entries()) {
      if (has) await rows('INSERT INTO contact_tag VALUES ($1, $2, $3, now())', [accountId, contact, tags[place]])
    }
    for (const [place, state] of enrolled.entries()) {
      if (state === 'no') continue
      await rows(
        'INSERT INTO enrolment (account_id, contact_id, sequence_id, state, end_reason, enrolled_at) VALUES ($1, $2, $3, $4, $5, now())',
        [accountId, contact, sequences[place], state.toUpperCase(), state === 'ended' ? 'REMOVED' : null],
      )
    }
    for (const [place, reaction] of seen.entries()) {
      if (reaction === 'none') continue
      const at = (has: boolean) => (has ? new Date() : null)
      const wasOpened = reaction === 'opened' || reaction === 'clicked'
      await rows(
        `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, created_at, sent_at, opened_at, clicked_at)
         VALUES ($1, $2, $3, now(), $4, $5, $6)`,
        [accountId, campaigns[place], contact, at(reaction !== 'queued'), at(wasOpened), at(reaction === 'clicked')],
      )
    }
  }
  const byKind = { Tag: tags, Sequence: sequences, Opened: campaigns }
  return {
    contacts,
    lists: { ...byKind, NotOpened: campaigns, Clicked: campaigns, NotClicked: campaigns },
  }
}

/** The filter with ids instead of indexes. An index past the end becomes an id that no row has. */
function asInput(given: Filter, { lists }: Ids): Record<string, unknown> {
  const entries = kinds.flatMap((kind) =>
    (['include', 'exclude'] as const).map((direction) => {
      const name = `${direction}${kind}Ids` as const
      return [name, given[name]?.map((place) => String(lists[kind][place] ?? 2_000_000_000))]
    }),
  )
  return Object.fromEntries(entries.filter(([, ids]) => ids !== undefined))
}

it('an audience equals a plain evaluation of its filter for any data', { timeout: 180_000 }, async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 6 }),
      fc.array(filter, { minLength: 12, maxLength: 12 }),
      async (people, filters) => {
        const world = await newWorld()
        const ids = await build(world, people)
        // Rows of another account exist too, and must not be in the audience.
        for (const each of filters) {
          const { audience } = await world.run(AudienceRead, { lists: asInput(each, ids) })
          const expected = people.flatMap((one, index) =>
            matches(each, one) ? [{ one, id: ids.contacts[index] }] : [],
          )
          expect(audience).toMatchObject({
            total: expected.length,
            optIn: expected.filter(({ one }) => one.optIn).length,
            contacts: { totalCount: expected.length },
          })
          const found = audience.contacts.nodes.map(({ databaseId }: { databaseId: number }) => databaseId)
          expect(found.toSorted((a: number, b: number) => a - b)).toEqual(expected.map(({ id }) => id))
          compared += 1
        }
      },
    ),
    { numRuns: 50, seed: 20_261_121 },
  )
  expect(compared).toBeGreaterThanOrEqual(600)
})
