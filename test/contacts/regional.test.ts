import { beforeAll, describe, expect, it } from 'vitest'
import { linkOf } from '../account/exporting.ts'
import { newBrowser } from '../forms/http-browser.ts'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { requestPage } from '../funnels/visiting.ts'
import { newWorld, type World } from '../support/world.ts'
import { runBulk } from './bulk.ts'
import { download, exportContact } from './export.ts'
import { importCsv, useImportServer } from './imports.ts'

const fields = 'id timeZone timeZoneSource locale localeSource'
const Create = `mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { ${fields} } } }`
const Update = `mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { ${fields} } } }`
const Filtered = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'

const given = (timeZone: string, locale: string) => ({
  ...{ timeZone, timeZoneSource: 'GIVEN', locale, localeSource: 'GIVEN' },
})
const observed = (timeZone: string | null, locale: string) => ({
  ...{ timeZone, timeZoneSource: timeZone && 'OBSERVED', locale, localeSource: 'OBSERVED' },
})
const derived = (timeZone: string | null, locale: string) => ({
  ...{ timeZone, timeZoneSource: timeZone && 'DERIVED', locale, localeSource: 'DERIVED' },
})
const unknown = { timeZone: null, timeZoneSource: null, locale: null, localeSource: null }

const newWorldWithWorker = useImportServer()
let count = 0
const address = () => `regional-${++count}@example.com`

const read = async (world: World, email: string) =>
  (await world.run(`query ($ref: ContactRefInput!) { contact(ref: $ref) { ${fields} } }`, { ref: { email } })).contact
const create = async (world: World, input: object = {}) =>
  (await world.run(Create, { input: { email: address(), ...input } })).contactCreate.contact
const update = async (world: World, { id }: { id: string }, input: object) =>
  (await world.run(Update, { input: { contact: { id }, ...input } })).contactUpdate.contact

describe('the time zone and the language of a contact', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorldWithWorker()
  })

  it('are unknown unless the country or a client says them', async () => {
    expect(await create(world)).toMatchObject(unknown)
    expect(await create(world, { country: 'Atlantis' })).toMatchObject(unknown)
  })

  it('are those that a client gave, in their canonical form', async () => {
    const contact = await create(world, { timeZone: ' europe/paris ', locale: 'PT_br', country: 'Japan' })
    expect(contact).toMatchObject(given('Europe/Paris', 'pt-BR'))
    expect(await update(world, contact, { country: 'France' })).toMatchObject(given('Europe/Paris', 'pt-BR'))
  })

  it.each([
    ['France', 'Europe/Paris', 'fr-FR'],
    ['de', 'Europe/Berlin', 'de-DE'],
    ['The Netherlands', 'Europe/Amsterdam', 'nl-NL'],
    ['USA', null, 'en-US'],
  ])('are derived from the country %s', async (country, timeZone, locale) => {
    expect(await create(world, { country })).toMatchObject(derived(timeZone, locale))
  })

  it('follow the country while they are derived', async () => {
    const contact = await create(world, { country: 'Spain' })
    expect(await update(world, contact, { firstName: 'Ada' })).toMatchObject(derived('Europe/Madrid', 'es-ES'))
    expect(await update(world, contact, { country: 'Japan' })).toMatchObject(derived('Asia/Tokyo', 'ja-JP'))
    expect(await update(world, contact, { country: '' })).toMatchObject(unknown)
  })

  it('become those of the country if a client removes them', async () => {
    const contact = await create(world, { country: 'Italy', timeZone: 'Asia/Tokyo', locale: 'ja' })
    expect(await update(world, contact, { timeZone: '', locale: '' })).toMatchObject(derived('Europe/Rome', 'it-IT'))
  })

  it('are logged and announced if only their source changes', async () => {
    const contact = await create(world, { country: 'Italy' })
    const before = (await world.announced('contact.updated')).length
    expect(await update(world, contact, { timeZone: 'Europe/Rome' })).toMatchObject({ timeZoneSource: 'GIVEN' })
    expect(await world.announced('contact.updated')).toHaveLength(before + 1)
    const { timeline } = (
      await world.run(
        `query ($ref: ContactRefInput!) { contact(ref: $ref) { timeline(first: 5) { nodes { ... on ContactChange {
          field oldValue newValue } } } } }`,
        { ref: { id: contact.id } },
      )
    ).contact
    expect(timeline.nodes[0]).toEqual({ field: 'TIME_ZONE', oldValue: 'Europe/Rome', newValue: 'Europe/Rome' })
  })

  it.each([
    [{ timeZone: 'Europe/Atlantis' }, 'timeZone', 'must be an IANA time zone such as Europe/Paris'],
    [{ timeZone: '+02:00' }, 'timeZone', 'must be an IANA time zone such as Europe/Paris'],
    [{ locale: 'english' }, 'locale', 'must be a BCP 47 language tag such as fr or pt-BR'],
    [{ locale: 'xx-FR' }, 'locale', 'must be a BCP 47 language tag such as fr or pt-BR'],
  ])('must be known: %o', async (input, field, message) => {
    const { extensions } = await world.fault(Create, { input: { email: address(), ...input } })
    expect(extensions['details']).toEqual({ [`input.${field}`]: [message] })
  })

  it('are fields of filters', async () => {
    const own = await newWorldWithWorker()
    await create(own, { timeZone: 'Europe/Paris', locale: 'pt-BR' })
    await create(own, { country: 'Portugal' })
    await create(own)
    const total = async (filter: object) => (await own.run(Filtered, { filter })).contacts.totalCount
    expect(await total({ timeZone: { eq: 'EUROPE/PARIS' } })).toBe(1)
    expect(await total({ timeZone: { in: ['Europe/Paris', 'Europe/Lisbon'] } })).toBe(2)
    expect(await total({ locale: { startsWith: 'pt' } })).toBe(2)
    expect(await total({ locale: { exists: false } })).toBe(1)
    expect(await total({ timeZone: { ne: 'Europe/Paris' } })).toBe(2)
  })

  it('are imported as given, and what is no time zone is left out with a warning', async () => {
    const own = await newWorldWithWorker()
    await create(own, { email: 'known@example.com', country: 'Japan' })
    const csv = [
      'email,country,Time zone,language',
      'known@example.com,Japan,Europe/Paris,fr',
      'wrong@example.com,Japan,Somewhere,klingon',
    ].join('\n')
    const result = await importCsv(own, csv, { updateExisting: true })
    expect(result).toMatchObject({ status: 'COMPLETED', created: 1, updated: 1, warnings: 2 })
    expect(result.errors.nodes.map(({ code }: { code: string }) => code)).toEqual(['INVALID_VALUE', 'INVALID_VALUE'])
    expect(await read(own, 'known@example.com')).toMatchObject(given('Europe/Paris', 'fr'))
    expect(await read(own, 'wrong@example.com')).toMatchObject(derived('Asia/Tokyo', 'ja-JP'))
  })

  it('are exported unless they are derived; the export of a person has them with their source', async () => {
    const own = await newWorldWithWorker()
    await create(own, { email: 'given@example.com', timeZone: 'Europe/Paris', locale: 'fr' })
    const { id } = await create(own, { email: 'guess@example.com', country: 'Japan' })
    const body = await (await fetch(await linkOf(own, 'CONTACTS'))).text()
    expect(body).toMatch(/given@example.com",.*,"Europe\/Paris","fr",/)
    expect(body).toMatch(/guess@example.com",.*,"Japan","","",/)
    const { json } = await download((await exportContact(own, { id })).url)
    expect(json.contact[0]).toMatchObject({ time_zone: 'Asia/Tokyo', time_zone_source: 'DERIVED', locale: 'ja-JP' })
  })

  it('are those of the merged contact if it knows them better', async () => {
    const [one, other] = [await create(world, { country: 'Japan' }), await create(world, { timeZone: 'Europe/Paris' })]
    const Merge = `mutation ($input: ContactMergeInput!) { contactMerge(input: $input) { contact { ${fields} } } }`
    const input = { contact: { id: other.id }, into: { id: one.id } }
    expect((await world.run(Merge, { input })).contactMerge.contact).toMatchObject({
      ...{ timeZone: 'Europe/Paris', timeZoneSource: 'GIVEN', locale: 'ja-JP', localeSource: 'DERIVED' },
    })
  })

  it('are updated by a bulk job', async () => {
    const own = await newWorldWithWorker()
    const { id } = await create(own, { email: 'bulk@example.com', country: 'Japan' })
    await runBulk(own, { ids: [id] }, { update: { timeZone: 'Europe/Paris' } })
    expect(await read(own, 'bulk@example.com')).toMatchObject({ timeZoneSource: 'GIVEN', localeSource: 'DERIVED' })
  })
})

describe('the browser of a contact', () => {
  const questions = [
    { label: 'E-mail', type: 'EMAIL', required: true },
    { label: 'Country', type: 'SHORT_TEXT', contactField: 'COUNTRY' },
  ]
  const post = async (world: World, values: Record<string, string>, headers: Record<string, string> = {}) => {
    const form = await world.form({ questions })
    const [mail, country] = form.questions.map(({ databaseId }) => `q${databaseId}`) as [string, string]
    const { email = '', country: typed = '', ...others } = values
    const body = new URLSearchParams({ [mail]: email, [country]: typed, ...others }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    await newBrowser(world.server).open(`/f/${form.databaseId}`, {
      method: 'POST',
      headers: { ...type, ...headers },
      body,
    })
    return read(world, email)
  }

  it('reports the time zone and the language with a form, which are better than the country', async () => {
    const world = await newWorld()
    const email = address()
    const values = { email, country: 'Japan', browser_time_zone: 'Europe/Paris', browser_locale: 'fr-FR' }
    expect(await post(world, values)).toMatchObject(observed('Europe/Paris', 'fr-FR'))
  })

  it('reports the language alone without a script', async () => {
    const world = await newWorld()
    const contact = await post(world, { email: address() }, { 'accept-language': 'pt-BR,pt;q=0.9' })
    expect(contact).toMatchObject(observed(null, 'pt-BR'))
  })

  it('is not a language of the header that the browser refuses', async () => {
    const world = await newWorld()
    const contact = await post(world, { email: address() }, { 'accept-language': 'fr-FR;q=0, pt-BR;q=0.9' })
    expect(contact).toMatchObject(observed(null, 'pt-BR'))
  })

  it('changes nothing with values that do not exist', async () => {
    const world = await newWorld()
    const values = { email: address(), browser_time_zone: 'No/Where', browser_locale: 'klingon' }
    expect(await post(world, values)).toMatchObject(unknown)
  })

  it('never replaces what a client gave, nor anything of a contact that it does not own', async () => {
    const world = await newWorld()
    const values = { browser_time_zone: 'Asia/Tokyo', browser_locale: 'ja' }
    const [known, other] = [address(), address()]
    await create(world, { email: known, timeZone: 'Europe/Paris', locale: 'fr' })
    await create(world, { email: other })
    await world.rows('UPDATE account SET trust_typed_addresses = true WHERE id = $1', [world.accountId])
    expect(await post(world, { email: known, ...values })).toMatchObject(given('Europe/Paris', 'fr'))
    await world.rows('UPDATE account SET trust_typed_addresses = false WHERE id = $1', [world.accountId])
    expect(await post(world, { email: other, ...values })).toMatchObject(unknown)
  })

  it('reports both with a form of a funnel page', async () => {
    const { world, path, mail } = await newOptInFunnel()
    const form = { form: 'join', [mail]: 'ada@example.com', consent: 'yes', website_url: '' }
    await requestPage(world.server, path, { form: { ...form, browser_time_zone: 'Europe/Rome', browser_locale: 'it' } })
    expect(await read(world, 'ada@example.com')).toMatchObject(observed('Europe/Rome', 'it'))
  })
})
