import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { temporaryFolder, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newShop, page, StepUpdate } from './documents.ts'
import { requestPage } from './visiting.ts'

const consent = { label: 'Yes, write to me.', type: 'CONSENT' }
const mail = { label: 'Your e-mail', type: 'EMAIL' }
const product = { name: 'Bowl', amount: '49.90', currency: 'USD' }

describe('an address that is not confirmed, in an account that asks for confirmations', () => {
  it('gets the confirmation and nothing else, whichever way it was entered', async () => {
    const folder = await temporaryFolder()
    const server = await newServer({ ROLES: 'api,worker', DATA_DIR: folder })
    const world = await newShop({ server })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const set = (settings: string) => world.run(`mutation { accountUpdate(input: { ${settings} }) { account { id } } }`)
    await set('senderEmail: "shop@example.com"')
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true, timeValue: 0 })
    const tag = await world.tag()
    const funnel = await world.funnel()

    /** Creates a step with a form of these questions, a tag and a sequence. */
    const newStep = async (questions: object[], elements: object[]) => {
      const form = await world.form({ questions })
      const step = await world.step(funnel, {
        formId: form.id,
        name: `step ${form.databaseId}`,
        content: page(...elements),
      })
      await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id], sequenceIds: [sequence.id] } })
      const names = form.questions.map(({ databaseId }) => `q${databaseId}`)
      return {
        funnelPath: `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`,
        path: `/f/${form.databaseId}`,
        names,
      }
    }
    const post = (path: string, form: Record<string, string>, cookie?: string) =>
      requestPage(server, path, { form, cookie, headers: { accept: 'text/html' } })
    const opted = [{ type: 'form', id: 'join', marketingConsentText: 'Yes.' }]

    // A browser that created its contact while the account did not ask for confirmations.
    const later = await newStep([mail, { label: 'Your name', type: 'SHORT_TEXT' }, consent], opted)
    const before = await world.form({ questions: [mail] })
    const created = await post(`/f/${before.databaseId}`, {
      [`q${before.questions[0]?.databaseId}`]: 'before@example.com',
    })
    await set('doubleOptIn: true')
    await post(later.funnelPath, { form: 'join', [later.names[1] as string]: 'Ada', consent: 'yes' }, created.cookie)
    await post(later.path, { [later.names[1] as string]: 'Eve', [later.names[2] as string]: 'true' }, created.cookie)

    const usual = await newStep([mail], opted)
    await post(usual.funnelPath, { form: 'join', [usual.names[0] as string]: 'usual@example.com', consent: 'yes' })

    // One question at a time, the consent first and the address before the end.
    const slow = await newStep([consent, mail, { label: 'Your name', type: 'SHORT_TEXT' }], opted)
    const slowly = (name: string, value: string, complete: string) =>
      post(slow.path, { client_submission_id: 'slow', [name]: value, complete })
    await slowly(slow.names[0] as string, 'true', 'false')
    await slowly(slow.names[1] as string, 'slow@example.com', 'false')
    await slowly(slow.names[2] as string, 'Ada', 'true')

    // The address is the answer to the second question for one.
    const twice = await newStep([mail, { ...mail, label: 'Or this one' }, consent], opted)
    const [first = '', second = '', agreed = ''] = twice.names
    await post(twice.path, { [first]: '', [second]: 'second@example.com', [agreed]: 'true' })
    await post(twice.funnelPath, { form: 'join', [second]: 'other@example.com', [agreed]: 'true', consent: 'yes' })

    const order = await newStep([mail], [{ type: 'order_form', id: 'buy', product, marketingConsentText: 'Yes.' }])
    await post(order.funnelPath, { form: 'buy', [order.names[0] as string]: 'buyer@example.com', consent: 'yes' })

    const read = `{ contacts { nodes { id email emailMarketing tags { id } consents { nodes { granted } }
      enrolments { totalCount } } } }`
    const { nodes } = (await world.run(read)).contacts
    const addresses = ['before', 'usual', 'slow', 'second', 'other', 'buyer'].map((name) => `${name}@example.com`)
    expect(nodes.map(({ email }: { email: string }) => email).sort()).toEqual(addresses.sort())
    for (const { id: _id, email, ...rest } of nodes) {
      const nothing = { emailMarketing: false, tags: [], consents: { nodes: [] }, enrolments: { totalCount: 0 } }
      expect([email, rest]).toEqual([email, nothing])
    }

    // Neither a campaign to all contacts, nor a sequence in which the account enrols them, writes to them.
    await world.contact({ email: 'agreed@example.com', emailMarketing: true })
    for (const { id } of nodes) await world.subscribe({ id }, sequence)
    const campaign = await world.campaign()
    await world.run(
      'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
      campaign,
    )
    const skipped = () =>
      world.rows("SELECT FROM mail_recipient WHERE account_id = $1 AND state = 'SKIPPED'", [world.accountId])
    await until(async () => (await skipped()).length === nodes.length)
    const received = async () => {
      const names = (await readdir(join(folder, 'mail')).catch(() => [])).filter((name) => name.endsWith('.eml'))
      const read = async (name: string) => simpleParser(await readFile(join(folder, 'mail', name)))
      const messages = await Promise.all(names.map(read))
      const lines = messages.map(({ to, subject }) => `${[to].flat()[0]?.text}: ${subject}`)
      return [...new Set(lines)].sort()
    }
    const confirmations = addresses.map((address) => `${address}: Please confirm: e-mail from Ada & Co`)
    const expected = ['agreed@example.com: Hello', ...confirmations].sort()
    await until(async () => (await received()).length >= expected.length)
    expect(await received()).toEqual(expected)
  })
})
