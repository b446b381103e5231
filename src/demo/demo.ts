import type { Account } from '../../prisma/generated/client/client.ts'
import { accounts, apiKeys } from '../account/index.ts'
import { contacts, contactTags, customFields, tags } from '../contacts/index.ts'
import { newCtx, type System } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { settableClock } from '../kernel/clock.ts'
import { Refusal } from '../kernel/errors.ts'
import { addCampaigns, broadcast, broadcasts } from './campaigns.ts'
import { addSales, type Buyer } from './finance.ts'
import { addForms } from './forms.ts'
import { addFunnels } from './funnels.ts'
import { mailFolder, openPostOffice } from './mail.ts'
import { addSequences, enrolForWorkshop } from './sequences.ts'
import '../server/ports.ts'

const hour = 3_600_000
const weeks = 6
const people = 240
const peopleADay = 6

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

const glazes = ['Celadon', 'Iron red', 'Ash', 'Bare clay, please']

/** Whether the database holds no account yet. */
export async function isEmpty({ db }: System): Promise<boolean> {
  const rows = await db.$unscoped('asks whether there is any account at all', sql`SELECT FROM account LIMIT 1`)
  return rows.length === 0
}

/**
 * Fills a new account with a shop's newsletter: contacts who came over six weeks, with tags and custom fields, sequences
 * with those who are enrolled, campaigns with their opens and clicks, what was sold, and a quiz with its answers. All of it
 * goes through the operations that clients use, with a clock that walks through these weeks; the same data every time. What
 * was sent in these weeks becomes files under `dataDir`.
 */
export async function loadDemo(
  base: System & { readonly secret: string },
  dataDir: string,
): Promise<{ account: Account; key: string }> {
  const letters = await mailFolder(dataDir)
  const now = new Date()
  const clock = settableClock(new Date(now.getTime() - weeks * 7 * 24 * hour))
  // No process needs a hint of each step, and the shop's domain is made up: no DNS record can verify it.
  const system = { ...base, clock, notify: undefined, notifyLocal: undefined, senders: undefined }
  const account = await openShop(system)
  const { key } = await apiKeys.create(system, { accountId: account.id, name: 'demo' })
  const ctx = newCtx(system, { accountId: account.id })

  const tagIds: number[] = []
  for (const name of tagNames) tagIds.push((await tags.create(ctx, { name })).tag.id)
  const birthday = (await customFields.create(ctx, { name: 'Birthday', type: 'DATE' })).customField.id
  const size = (await customFields.create(ctx, { name: 'Size', type: 'SELECT', values: ['S', 'M', 'L', 'XL'] }))
    .customField.id
  const orders = (await customFields.create(ctx, { name: 'Shop orders', type: 'NUMBER' })).customField.id
  const glaze = (await customFields.create(ctx, { name: 'Favourite glaze', type: 'TEXT' })).customField.id

  const draw = dice(20_261_121)
  const sequences = await addSequences(ctx, tagIds[1] as number)
  const buyers: Buyer[] = []
  const start = clock.now().getTime()
  const office = await openPostOffice(system, account.id, letters)
  try {
    for (let index = 0; index < people; index += 1) {
      clock.set(new Date(start + ((now.getTime() - start) * (index + draw(0, 1))) / (people + 1)))
      await addPerson(index)
      if (index % peopleADay === peopleADay - 1) await office.deliver()
      const campaign = (index * (broadcasts.length + 1)) / people - 1
      if (Number.isInteger(campaign) && campaign >= 0) await broadcast(ctx, office, campaign, tagIds[0] as number)
    }
    clock.set(now)
    await office.deliver()
    await office.read(dice(7))
  } finally {
    await office.close()
  }
  await enrolForWorkshop(ctx, sequences.workshop)
  await addCampaigns(ctx, tagIds[0] as number)
  await addSales(ctx, buyers, weeks * 7)
  await addForms(ctx, clock, draw)
  await addFunnels(ctx, clock, tagIds[0] as number)
  return { account, key }

  async function addPerson(index: number): Promise<void> {
    const [firstName, lastName] = [pick(firstNames), pick(lastNames)]
    const [city, country] = pick(towns)
    const wantsMail = draw(0, 1) < 0.85
    const { contact } = await contacts.create(ctx, {
      email: `${plain(firstName)}.${plain(lastName)}${index}@example.com`,
      firstName,
      lastName,
      city,
      country,
      companyName: draw(0, 1) < 0.2 ? `${lastName} & Co` : '',
      emailMarketing: wantsMail,
      gdpr: true,
      consent: { source: 'shop sign-up', text: 'Yes, send me news from the atelier.' },
      sequenceIds: wantsMail && draw(0, 1) < 0.3 ? [sequences.welcome] : [],
      tagIds: tagIds.filter((_id, place) => draw(0, 1) < 0.6 / (place + 1)),
      customFields: [
        { customFieldId: size, value: pick(['S', 'M', 'L', 'XL']) },
        ...(index % 3 === 0 ? [{ customFieldId: glaze, value: glazes[index % glazes.length] as string }] : []),
        { customFieldId: orders, value: String(Math.floor(draw(0, 9))) },
        ...(draw(0, 1) < 0.5
          ? [
              {
                customFieldId: birthday,
                value: `19${Math.floor(draw(60, 99))}-0${Math.floor(draw(1, 9))}-1${Math.floor(draw(0, 9))}`,
              },
            ]
          : []),
      ],
    })
    if (index % 10 === 0) buyers.push({ email: contact.email, firstName, lastName })
    if (index % 40 === 17) await contacts.unsubscribe(ctx, { contact: { id: contact.id } })
    if (index % 25 === 3) await contactTags.add(ctx, { contact: { id: contact.id }, tagId: tagIds[3] as number })
  }

  function pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(draw(0, items.length))] as Item
  }
}

/** The account of the shop. Whoever loads the demonstration once more gets another one beside it. */
async function openShop(system: System): Promise<Account> {
  for (let copy = 1; ; copy += 1) {
    const subdomain = copy === 1 ? 'atelier-rosalie' : `atelier-rosalie-${copy}`
    try {
      return await accounts.create(system, {
        name: 'Atelier Rosalie',
        email: 'hello@atelier-rosalie.example',
        plan: 'PRO',
        timezone: 'Europe/Paris',
        currency: 'EUR',
        subdomain,
        senderName: 'Rosalie',
        senderEmail: 'hello@atelier-rosalie.example',
        limits: { contacts: 5_000, campaigns: 100, emails: 50_000, funnels: 20, monthlyRecipients: 10_000 },
      })
    } catch (error) {
      if (!(error instanceof Refusal && error.details?.['subdomain'])) throw error
    }
  }
}

/** A row of numbers that look thrown and are the same every time (mulberry32). */
function dice(seed: number): (from: number, to: number) => number {
  let state = seed
  return (from, to) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return from + (((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * (to - from)
  }
}

/** A name as it stands in an e-mail address: without accents, in small letters. */
function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
