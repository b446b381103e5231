import type { Account } from '../../prisma/generated/client/client.ts'
import { accounts, apiKeys, signInLinks, users } from '../account/index.ts'
import { contacts, contactTags, customFields, segments, tags } from '../contacts/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { settableClock } from '../kernel/clock.ts'
import { Refusal } from '../kernel/errors.ts'
import { addCampaigns, sendCampaign, sentCampaigns } from './campaigns.ts'
import { addSales, type Buyer } from './finance.ts'
import { addForms } from './forms.ts'
import { addFunnels } from './funnels.ts'
import { createMailFolder, recordReactions, recordRefusals, startMailer } from './mail.ts'
import { addMedia } from './media.ts'
import { keepPeople } from './people.ts'
import { addSequences, enrolForWorkshop } from './sequences.ts'

const hourMs = 3_600_000
const weeks = 6
const days = 40
const contactsPerDay = 6

const firstNames =
  'Ada Amir Anna Bruno Camille Chloé Clara David Elif Emma Félix Grace Hugo Ines Jakob Jonas Julia Karim Lea Lena Liam Lina Louis Lucas Maja Marie Mateo Mia Nina Noah Nora Oscar Paul Rosa Sara Sofia Theo Tom Yara Zoé'.split(
    ' ',
  )
const lastNames =
  'Albrecht Bauer Bernard Blanc Costa Dubois Durand Fischer Fontaine Garcia Hansen Keller Klein Lambert Lefèvre Lopez Martin Meyer Moreau Müller Nguyen Novak Perrin Petit Richard Rossi Roux Schmidt Silva Simon Vogel Weber'.split(
    ' ',
  )
const towns = [
  ['Paris', 'France'],
  ['Lyon', 'France'],
  ['Nantes', 'France'],
  ['Berlin', 'Germany'],
  ['Köln', 'Germany'],
  ['Bruxelles', 'Belgium'],
  ['Genève', 'Switzerland'],
  ['Lisboa', 'Portugal'],
] as const
const tagNames = [
  'newsletter',
  'customer',
  'workshop',
  'vip',
  'wholesale',
  'webinar-autumn',
  'abandoned-cart',
  'gift-guide',
]

const sizes = ['S', 'M', 'L', 'XL']
const glazes = ['Celadon', 'Iron red', 'Ash', 'Bare clay, please']

/** E-mail address of the account and of its owner. */
const demoEmail = 'hello@atelier-rosalie.example'

/** Creates a link that signs the owner of the latest demonstration account in. Returns undefined if there is none. */
export async function linkToDemo(system: System): Promise<string | undefined> {
  const owner = (await signInLinks.findUsers(system, demoEmail)).at(-1)
  return owner && (await signInLinks.create(newCtx(system, owner), owner.userId)).url
}

/** Returns true if the database has no account. */
export async function isEmpty({ db }: System): Promise<boolean> {
  const rows = await db.$unscoped(
    'the demonstration is loaded only if no account exists',
    sql`SELECT FROM account LIMIT 1`,
  )
  return rows.length === 0
}

/**
 * Creates the account of a shop with six weeks of data: contacts with tags and custom fields, segments, sequences with
 * enrolments, campaigns with opens and clicks, sales, a quiz with submissions, funnels, and pictures. It uses the operations of
 * the API with a simulated clock, and creates the same data each time, except for ids and for which messages are opened. Messages
 * are written to files in `dataDir`.
 */
export async function loadDemo(base: System, dataDir: string): Promise<{ account: Account; key: string }> {
  const mailFolder = await createMailFolder(dataDir)
  const now = new Date()
  const clock = settableClock(new Date(now.getTime() - weeks * 7 * 24 * hourMs))
  // Other processes need no notification of each step. The shop's domain is fictitious, so no DNS record can verify it.
  const system = {
    ...base,
    clock,
    notify: () => undefined,
    notifyLocal: () => undefined,
    services: { ...base.services, mail: { ...base.services.mail, requiresVerifiedSenders: false } },
  }
  const account = await createAccount(system)
  const { key, apiKey } = await apiKeys.create(system, { accountId: account.id, name: 'demo' })
  await users.add(system, { accountId: account.id, email: demoEmail, role: 'OWNER' })
  const ctx = newCtx(system, { accountId: account.id })
  const tagIds = await addTags(ctx)
  const customFieldIds = await addCustomFields(ctx)
  await addSegments(ctx, tagIds, customFieldIds)
  const random = newRandom(20_261_121)
  const sequences = await addSequences(ctx, tagIds[1] as number)
  const addContact = newContactFactory(random, { tagIds, customFieldIds, welcomeId: sequences.welcome })
  const start = clock.now().getTime()
  // What is independent runs at the same time, each part with a clock of its own.
  const newPart = (at: Date) => {
    const ownClock = settableClock(at)
    return { clock: ownClock, ctx: newCtx({ ...system, clock: ownClock }, { accountId: account.id }) }
  }
  const addDay = (day: number) =>
    Promise.all(
      Array.from({ length: contactsPerDay }, (_, place) => {
        const index = day * contactsPerDay + place
        const at = start + ((now.getTime() - start) * (index + random(0, 1))) / (days * contactsPerDay + 1)
        return addContact(newPart(new Date(at)).ctx, index)
      }),
    )
  const buyers: Buyer[] = []
  const mailer = await startMailer(system, account.id, mailFolder)
  try {
    let delivered = Promise.resolve()
    for (let day = 0; day < days; day += 1) {
      const [added] = await Promise.all([addDay(day), delivered])
      buyers.push(...added.filter((_, place) => (day * contactsPerDay + place) % 10 === 0))
      clock.set(new Date(start + ((now.getTime() - start) * (day + 1)) / days))
      const campaign = (day * (sentCampaigns.length + 1)) / days - 1
      if (Number.isInteger(campaign) && campaign >= 0) await sendCampaign(ctx, mailer, campaign, tagIds[0] as number)
      delivered = mailer.deliver()
    }
    await delivered
  } finally {
    await mailer.close()
  }
  const [people, sales, forms] = [newPart(now), newPart(now), newPart(now)]
  await Promise.all([
    (async () => {
      await recordReactions(people.ctx, people.clock, newRandom(7))
      await recordRefusals(people.ctx)
      await enrolForWorkshop(people.ctx, sequences.workshop)
      await addCampaigns(people.ctx, tagIds[0] as number)
      const keyed = { ...people.ctx, keyId: apiKey.id }
      await keepPeople(keyed, { customerId: tagIds[1] as number, giftGuideId: tagIds[7] as number })
    })(),
    addSales(sales.ctx, buyers, weeks * 7),
    addMedia(sales.ctx),
    (async () => {
      await addForms(forms.ctx, forms.clock, random)
      await addFunnels(forms.ctx, forms.clock, tagIds[0] as number)
    })(),
  ])
  return { account, key }
}

async function addTags(ctx: Ctx): Promise<number[]> {
  const ids: number[] = []
  for (const name of tagNames) ids.push((await tags.create(ctx, { name })).tag.id)
  return ids
}

interface CustomFieldIds {
  readonly birthday: number
  readonly size: number
  readonly orders: number
  readonly glaze: number
}

async function addCustomFields(ctx: Ctx): Promise<CustomFieldIds> {
  const add = async (input: Parameters<typeof customFields.create>[1]) =>
    (await customFields.create(ctx, input)).customField.id
  return {
    birthday: await add({ name: 'Birthday', type: 'DATE' }),
    size: await add({ name: 'Size', type: 'SELECT', values: sizes }),
    orders: await add({ name: 'Shop orders', type: 'NUMBER' }),
    glaze: await add({ name: 'Favourite glaze', type: 'TEXT' }),
  }
}

async function addSegments(ctx: Ctx, [, customerId, , vipId]: readonly number[], { orders }: CustomFieldIds) {
  const customers = { tags: { any: [customerId as number, vipId as number] } }
  await segments.create(ctx, {
    name: 'Loyal customers',
    filter: { ...customers, customFields: [{ id: orders, number: { gte: '3' } }] },
  })
  await segments.create(ctx, {
    name: 'New subscribers in France',
    filter: { createdAt: { period: 'LAST_30_DAYS' }, country: { eq: 'France' }, emailMarketing: true, not: customers },
  })
}

/**
 * Returns a function that adds the contact of an index. It must be called in the order of indexes to repeat its data, but not
 * awaited.
 */
function newContactFactory(
  random: (from: number, to: number) => number,
  ids: { tagIds: readonly number[]; customFieldIds: CustomFieldIds; welcomeId: number },
): (ctx: Ctx, index: number) => Promise<Buyer> {
  const { tagIds, customFieldIds, welcomeId } = ids
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random(0, items.length))] as Item
  const valuesOf = (index: number) => [
    { customFieldId: customFieldIds.size, value: pick(sizes) },
    ...(index % 3 === 0
      ? [{ customFieldId: customFieldIds.glaze, value: glazes[index % glazes.length] as string }]
      : []),
    { customFieldId: customFieldIds.orders, value: String(Math.floor(random(0, 9))) },
    ...(random(0, 1) < 0.5
      ? [
          {
            customFieldId: customFieldIds.birthday,
            value: `19${Math.floor(random(60, 99))}-0${Math.floor(random(1, 9))}-1${Math.floor(random(0, 9))}`,
          },
        ]
      : []),
  ]

  return async (ctx, index) => {
    const [firstName, lastName] = [pick(firstNames), pick(lastNames)]
    const [city, country] = pick(towns)
    const emailMarketing = random(0, 1) < 0.85
    const { contact } = await contacts.create(ctx, {
      email: `${toAsciiLowerCase(firstName)}.${toAsciiLowerCase(lastName)}${index}@example.com`,
      firstName,
      lastName,
      city,
      country,
      companyName: random(0, 1) < 0.2 ? `${lastName} & Co` : '',
      emailMarketing,
      gdpr: true,
      consent: { source: 'shop sign-up', text: 'Yes, send me news from the atelier.' },
      addSequenceIds: emailMarketing && random(0, 1) < 0.3 ? [welcomeId] : [],
      addTagIds: tagIds.filter((_id, place) => random(0, 1) < 0.6 / (place + 1)),
      customFields: valuesOf(index),
    })
    const ref = { contact: { id: contact.id } }
    if (index % 40 === 17) await contacts.unsubscribe(ctx, ref)
    if (index % 25 === 3) await contactTags.add(ctx, { ...ref, tagId: tagIds[3] as number })
    return { email: contact.email, firstName, lastName }
  }
}

/** Creates the account of the shop. Uses another subdomain if the demonstration was loaded before. */
async function createAccount(system: System): Promise<Account> {
  for (let copy = 1; ; copy += 1) {
    const subdomain = copy === 1 ? 'atelier-rosalie' : `atelier-rosalie-${copy}`
    try {
      return await accounts.create(system, {
        name: 'Atelier Rosalie',
        email: demoEmail,
        plan: 'PRO',
        timezone: 'Europe/Paris',
        currency: 'EUR',
        subdomain,
        senderName: 'Rosalie',
        senderEmail: demoEmail,
        limits: { contacts: 5_000, campaigns: 100, emails: 50_000, funnels: 20, monthlyRecipients: 10_000 },
      })
    } catch (error) {
      if (!(error instanceof Refusal && error.details?.['subdomain'])) throw error
    }
  }
}

/** Returns a pseudo-random number generator with a fixed sequence for each seed (mulberry32). */
function newRandom(seed: number): (from: number, to: number) => number {
  let state = seed
  return (from, to) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return from + (((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * (to - from)
  }
}

/** Removes accents and converts to lower case, for e-mail addresses. */
function toAsciiLowerCase(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
