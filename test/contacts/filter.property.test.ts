// @module-tag rows
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countContacts } from '../support/contact-counter.ts'
import { newWorld, type World } from '../support/world.ts'

/** A contact in memory. An index of `tags` and `opened` is a place in the lists of the world. */
interface Person {
  firstName: string
  city: string
  gdpr: boolean
  created: number
  tags: number[]
  opened: number[]
  size: string | null
  number: number | null
  day: number | null
  vip: boolean | null
}

type Test = (person: Person) => boolean
/** A filter as clients send it, and what it means. Ids are places until the world is known. */
interface Case {
  input: (ids: Ids) => Record<string, unknown>
  test: Test
}
interface Ids {
  tags: number[]
  campaigns: number[]
  fields: { size: number; number: number; day: number; vip: number }
}

const unknownId = 2_000_000_000
const words = ['', 'Ada', 'adaline', 'ÉMILE', 'a%b_c', 'back\\slash', "O'Neil"]
const dayOf = (n: number) => `2026-03-${String(n).padStart(2, '0')}`
const word = fc.constantFrom(...words)
const places = fc.array(fc.nat({ max: 3 }), { maxLength: 3 })
const person: fc.Arbitrary<Person> = fc.record({
  firstName: word,
  city: word,
  gdpr: fc.boolean(),
  created: fc.integer({ min: 1, max: 9 }),
  tags: fc.uniqueArray(fc.nat({ max: 2 })),
  opened: fc.uniqueArray(fc.nat({ max: 2 })),
  size: fc.option(fc.constantFrom('S', 'M', 'XL', 'x'.repeat(900), 'ÉMILE')),
  number: fc.option(fc.constantFrom(-3.5, 0, 2, 12, 100)),
  day: fc.option(fc.integer({ min: 1, max: 9 })),
  vip: fc.option(fc.boolean()),
})

/** An operator: its name, its values, and what it means for a value of a person. */
function operators<Value>(
  all: Record<string, [fc.Arbitrary<unknown>, (value: Value, operand: never, ids: Ids) => boolean]>,
): fc.Arbitrary<{ input: Record<string, unknown>; test: (value: Value | null) => boolean }> {
  const entries = Object.entries(all)
  return fc
    .record(Object.fromEntries(entries.map(([name, [operand]]) => [name, fc.option(operand, { freq: 2 })])))
    .map((input) => ({
      input,
      // A missing value meets the condition only if all operators that are set are `ne`.
      test: (value: Value | null) =>
        entries.every(
          ([name, [, test]]) =>
            input[name] === null || (value === null ? name === 'ne' : test(value, input[name] as never, {} as Ids)),
        ),
    }))
}

const low = (text: string) => text.toLowerCase()
const textOperators = operators<string>({
  eq: [word, (value, other: string) => low(value) === low(other)],
  ne: [word, (value, other: string) => low(value) !== low(other)],
  in: [fc.array(word, { maxLength: 3 }), (value, all: string[]) => all.some((other) => low(value) === low(other))],
  contains: [fc.constantFrom('ada', 'a%b', 'émi', 'slash', 'lin'), (v, part: string) => low(v).includes(low(part))],
  startsWith: [fc.constantFrom('a', 'AD', 'é', 'back\\', 'a%'), (v, part: string) => low(v).startsWith(low(part))],
  endsWith: [fc.constantFrom('ada', 'MILE', 'b_c', '\\slash'), (v, part: string) => low(v).endsWith(low(part))],
})
const memberOperators = operators<number[]>({
  all: [places, (own, all: number[]) => all.every((id) => own.includes(id))],
  any: [places, (own, any: number[]) => any.some((id) => own.includes(id))],
  none: [places, (own, none: number[]) => !none.some((id) => own.includes(id))],
  exists: [fc.boolean(), (own, exists: boolean) => own.length > 0 === exists],
})
const numberOperators = operators<number>({
  eq: [fc.constantFrom(-3.5, 0, 2), (value, other: number) => value === other],
  ne: [fc.constantFrom(-3.5, 0, 2), (value, other: number) => value !== other],
  gt: [fc.constantFrom(-4, 0, 2, 12.5), (value, bound: number) => value > bound],
  gte: [fc.constantFrom(-4, 0, 2, 12.5), (value, bound: number) => value >= bound],
  lt: [fc.constantFrom(-3.5, 2, 12, 99), (value, bound: number) => value < bound],
  lte: [fc.constantFrom(-3.5, 1, 12, 99), (value, bound: number) => value <= bound],
})
const dayOperators = operators<number>({
  eq: [fc.integer({ min: 1, max: 9 }), (value, other: number) => value === other],
  ne: [fc.integer({ min: 1, max: 9 }), (value, other: number) => value !== other],
  gt: [fc.integer({ min: 1, max: 9 }), (value, bound: number) => value > bound],
  gte: [fc.integer({ min: 1, max: 9 }), (value, bound: number) => value >= bound],
  lte: [fc.integer({ min: 1, max: 9 }), (value, bound: number) => value <= bound],
  lt: [fc.integer({ min: 1, max: 9 }), (value, bound: number) => value < bound],
})

const has = (input: Record<string, unknown>) => Object.values(input).some((operand) => operand !== null)
const daysIn = (input: Record<string, unknown>, format: (n: number) => string) =>
  Object.fromEntries(Object.entries(input).map(([name, n]) => [name, n === null ? null : format(n as number)]))
const idsIn = (input: Record<string, unknown>, ids: readonly number[]) =>
  Object.fromEntries(
    Object.entries(input).map(([name, operand]) => [
      name,
      Array.isArray(operand) ? operand.map((place) => String(ids[place] ?? unknownId)) : operand,
    ]),
  )

const leaf: fc.Arbitrary<Case> = fc.oneof(
  fc.tuple(fc.constantFrom('firstName', 'city'), textOperators).map(
    ([name, { input, test }]): Case => ({
      input: () => ({ [name]: input }),
      test: (one) => test(one[name as 'city']),
    }),
  ),
  memberOperators.map(
    ({ input, test }): Case => ({
      input: ({ tags }) => ({ tags: idsIn(input, tags) }),
      test: ({ tags }) => test(tags),
    }),
  ),
  memberOperators.map(
    ({ input, test }): Case => ({
      input: ({ campaigns }) => ({ campaignsOpened: idsIn(input, campaigns) }),
      test: ({ opened }) => test(opened),
    }),
  ),
  fc.option(fc.boolean()).map(
    (gdpr): Case => ({
      input: () => ({ gdpr }),
      test: (one) => gdpr === null || one.gdpr === gdpr,
    }),
  ),
  dayOperators.map(
    ({ input, test }): Case => ({
      input: () => ({ createdAt: daysIn(input, (n) => `${dayOf(n)}T00:00:00Z`) }),
      test: ({ created }) => test(created),
    }),
  ),
  textOperators.map(
    ({ input, test }): Case => ({
      input: ({ fields }) => ({ customFields: [{ id: String(fields.size), text: input }] }),
      test: ({ size }) => !has(input) || test(size),
    }),
  ),
  numberOperators.map(
    ({ input, test }): Case => ({
      input: ({ fields }) => ({ customFields: [{ id: String(fields.number), number: input }] }),
      test: ({ number }) => !has(input) || test(number),
    }),
  ),
  fc.tuple(dayOperators, fc.option(fc.boolean())).map(
    ([{ input, test }, vip]): Case => ({
      input: ({ fields }) => ({
        customFields: [
          { id: String(fields.day), date: daysIn(input, dayOf) },
          { id: String(fields.vip), flag: vip },
        ],
      }),
      test: (one) => (!has(input) || test(one.day)) && (vip === null || one.vip === vip),
    }),
  ),
  fc.boolean().map(
    (exists): Case => ({
      input: ({ fields }) => ({ customFields: [{ id: String(fields.size), exists }] }),
      test: ({ size }) => (size !== null) === exists,
    }),
  ),
)

const { filter } = fc.letrec<{ filter: Case }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, depthSize: 'max' },
    leaf,
    fc.array(tie('filter'), { maxLength: 3 }).map(
      (parts): Case => ({
        input: (ids) => ({ and: parts.map(({ input }) => input(ids)) }),
        test: (one) => parts.every(({ test }) => test(one)),
      }),
    ),
    fc.array(tie('filter'), { maxLength: 3 }).map(
      (parts): Case => ({
        input: (ids) => ({ or: parts.map(({ input }) => input(ids)) }),
        test: (one) => parts.some(({ test }) => test(one)),
      }),
    ),
    tie('filter').map((part): Case => ({ input: (ids) => ({ not: part.input(ids) }), test: (one) => !part.test(one) })),
  ),
}))

async function build({ accountId, rows }: World, people: readonly Person[]): Promise<Ids & { contacts: number[] }> {
  const made = async (sql: string, ...values: unknown[]) =>
    (await rows<{ id: number }>(`${sql} RETURNING id`, [accountId, ...values])).map(({ id }) => id)
  const tags = await made(
    'INSERT INTO tag (account_id, name, created_at) SELECT $1, n, now() FROM generate_series(1, 3) n',
  )
  const [email] = await made('INSERT INTO email (account_id, created_at, updated_at) VALUES ($1, now(), now())')
  const campaigns = await made(
    `INSERT INTO campaign (account_id, name, email_id, status, created_at)
     SELECT $1, n, $2, 'SENT', now() FROM generate_series(1, 3) n`,
    email,
  )
  const fieldIds = await made(
    `INSERT INTO custom_field (account_id, name, type, values, created_at)
     SELECT $1, type, type::custom_field_type, '{}', now() FROM unnest('{TEXT,NUMBER,DATE,BOOLEAN}'::text[]) AS type`,
  )
  const [size = 0, number = 0, day = 0, vip = 0] = fieldIds
  const contacts: number[] = []
  for (const [index, one] of people.entries()) {
    const [contact = 0] = await made(
      `INSERT INTO contact (account_id, email, first_name, city, gdpr, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, now())`,
      `${index}@example.com`,
      one.firstName,
      one.city,
      one.gdpr,
      `${dayOf(one.created)}T00:00:00Z`,
    )
    contacts.push(contact)
    for (const place of one.tags) {
      await rows('INSERT INTO contact_tag VALUES ($1, $2, $3, now())', [accountId, contact, tags[place]])
    }
    for (const place of [0, 1, 2]) {
      await rows(
        `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, created_at, sent_at, opened_at)
         VALUES ($1, $2, $3, now(), now(), $4)`,
        [accountId, campaigns[place], contact, one.opened.includes(place) ? new Date() : null],
      )
    }
  }
  await countContacts({ accountId, rows })
  return { contacts, tags, campaigns, fields: { size, number, day, vip } }
}

const FieldSet = 'mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { value } }'

async function setFields(world: World, people: readonly Person[], { contacts, fields }: Ids & { contacts: number[] }) {
  for (const [index, { size, number, day, vip }] of people.entries()) {
    const values = { size, number, day: day === null ? null : dayOf(day), vip }
    for (const [name, value] of Object.entries(values)) {
      const customFieldId = fields[name as keyof typeof fields]
      const input = { contact: { id: contacts[index] }, customFieldId, value: value === null ? null : String(value) }
      if (value !== null) await world.run(FieldSet, { input })
    }
  }
}

const Contacts = `query ($filter: ContactFilterInput) {
  contacts(first: 100, filter: $filter) { totalCount nodes { databaseId } } }`

it('the contacts of a filter equal a plain evaluation for any data', { timeout: 180_000 }, async () => {
  let [compared, partial] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 6 }),
      fc.array(filter, { minLength: 40, maxLength: 40 }),
      async (people, filters) => {
        const [world, other] = [await newWorld(), await newWorld()]
        const ids = await build(world, people)
        // The other account has the same contacts, which must not be in any list.
        await build(other, people)
        await setFields(world, people, ids)
        for (const each of filters) {
          const input = each.input(ids)
          const { contacts } = await world.run(Contacts, { filter: input })
          const expected = people.flatMap((one, index) => (each.test(one) ? [ids.contacts[index]] : []))
          const found = contacts.nodes.map(({ databaseId }: { databaseId: number }) => databaseId)
          expect(
            found.toSorted((a: number, b: number) => a - b),
            JSON.stringify(input),
          ).toEqual(expected)
          expect(contacts.totalCount).toBe(expected.length)
          compared += 1
          if (expected.length > 0 && expected.length < people.length) partial += 1
        }
      },
    ),
    { numRuns: 20, seed: 20_261_122 },
  )
  expect(compared).toBeGreaterThanOrEqual(800)
  expect(partial).toBeGreaterThan(100)
})
