import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { newBrowser } from './http-browser.ts'

const questions = [
  { label: 'Adresse', type: 'EMAIL', required: true },
  { label: 'Note', type: 'OPINION_SCALE' },
]
const Update = 'mutation ($input: FormUpdateInput!) { formUpdate(input: $input) { form { language } } }'

describe('the page of a form', () => {
  it('is in the language of the form, whatever the browser prefers, and says in it what is wrong', async () => {
    const world = await newWorld()
    const form = await world.form({ language: 'fr_ca', questions })
    const browser = newBrowser(world.server)
    const headers = { 'accept-language': 'de' }
    const page = await browser.open(`/f/${form.databaseId}`, { headers })
    expect(page.text).toContain('<html lang="fr-CA" dir="ltr">')
    expect(page.text).toContain('<small>sur 2</small>')
    expect(page.text).toContain('>Suivant</button>')
    const refused = await browser.fill({ [`q${form.questions[0]?.databaseId}`]: 'ada' }, { headers })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Veuillez saisir une adresse e-mail valide.')
    const next = await browser.fill({ [`q${form.questions[0]?.databaseId}`]: 'ada@example.com' }, { headers })
    expect(next.text).toContain('<span>Pas du tout</span><span>Tout à fait</span>')
    expect((await browser.fill({}, { headers })).text).toContain('Merci')
  })

  it('is in that of the browser if the form has none, and a program reads English', async () => {
    const world = await newWorld()
    const form = await world.form({ questions })
    const open = async (language: string) =>
      (await newBrowser(world.server).open(`/f/${form.databaseId}`, { headers: { 'accept-language': language } })).text
    expect(await open('pl-PL,en;q=0.5')).toContain('>Dalej</button>')
    expect(await open('ja')).toContain('>Next</button>')
    const response = await newBrowser(world.server).send(
      `/f/${form.databaseId}`,
      { answers: { [form.questions[0]?.databaseId ?? 0]: 'ada' } },
      { accept: 'application/json', 'accept-language': 'pl' },
    )
    expect(response.text).toContain('must be a valid e-mail address')
    const closed = await newBrowser(world.server).open('/f/999999999', { headers: { 'accept-language': 'nl' } })
    expect([closed.status, closed.text.includes('Formulier niet gevonden')]).toEqual([404, true])
  })

  it('is laid out from right to left for a language that is written so', async () => {
    const world = await newWorld()
    const form = await world.form({ language: 'ar', questions })
    const page = await newBrowser(world.server).open(`/f/${form.databaseId}`)
    expect(page.text).toContain('<html lang="ar" dir="rtl">')
  })

  it('keeps the language of a form that is copied, and refuses what is no language', async () => {
    const world = await newWorld()
    const form = await world.form({ language: 'de', questions })
    const copy = await world.run('mutation ($id: ID!) { formDuplicate(input: { id: $id }) { form { language } } }', {
      id: form.id,
    })
    expect(copy.formDuplicate.form.language).toBe('de')
    expect((await world.run(Update, { input: { id: form.id, language: '' } })).formUpdate.form.language).toBe('')
    for (const language of ['xx-none', 'German', 'd'.repeat(99)])
      expect((await world.fault(Update, { input: { id: form.id, language } })).extensions.details).toEqual({
        'input.language': ['must be a BCP 47 language tag such as fr or pt-BR'],
      })
  })
})
