import { beforeAll, describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { newReusableBlock } from '../content/reusable.ts'
import { storedMedia } from '../content/stored.ts'
import { documentOf } from '../mail/content.ts'
import { temporaryFolder } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import type { World } from '../support/world.ts'
import { newShop, page } from './documents.ts'
import { confirmPath, idle, mailboxOf } from './mailbox.ts'
import { requestPage } from './visiting.ts'

const start = new Date('2026-05-01T12:00:00Z')
const day = 24 * 60 * 60 * 1000
const button = { type: 'button', text: 'Yes, it is me', href: '{{CONFIRM_URL}}' }

const checked = `confirmationEmail { id subject } confirmationCheck { isSent findings { code severity } }
  confirmations { sent confirmed waiting lost }`
const setOf = (owner: 'form' | 'funnel') => {
  const name = owner === 'form' ? 'Form' : 'Funnel'
  return `mutation ($input: ${name}ConfirmationContentSetInput!) { set: ${owner}ConfirmationContentSet(input: $input) {
    owner: ${owner} { ${checked} } email { id subject html } } }`
}

describe('a confirmation e-mail of an account', () => {
  let server: Server
  let mailbox: ReturnType<typeof mailboxOf>
  const clock = settableClock(start)
  beforeAll(async () => {
    const folder = await temporaryFolder()
    mailbox = mailboxOf(folder)
    server = await newServer({ ROLES: 'api,worker', DATA_DIR: folder, SENDERS: 'verified' }, { clock })
  })

  /** Creates a funnel with an opt-in page. */
  async function newPage() {
    clock.set(start)
    const world = await newShop({ server })
    await world.run(`mutation { accountUpdate(input: { doubleOptIn: true, senderEmail: "shop@kiln.example", senderName: "Kiln" }) {
      account { id } } }`)
    await world.rows(
      `INSERT INTO sender_domain (account_id, domain, token, verified_at, created_at) VALUES ($1, 'kiln.example', 't', now(), now())`,
      [world.accountId],
    )
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page({ type: 'form', id: 'join', marketingConsentText: 'Yes.' }) })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const path = `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`
    const optIn = async (email: string) => {
      await requestPage(server, path, {
        form: { form: 'join', email, firstname: 'Buy at spam.example', consent: 'yes' },
      })
      await idle(world)
      return (await mailbox.messagesTo(email))[0]
    }
    return { world, funnel, form: step.form, optIn }
  }
  const figuresOf = async (world: World, owner: 'form' | 'funnel', id: string) =>
    (await world.run(`query ($id: ID!) { ${owner}(id: $id) { ${checked} } }`, { id }))[owner]

  it('is sent for the forms of a funnel, and that of a form for the form, without tracking and data of strangers', async () => {
    const { world, funnel, form, optIn } = await newPage()
    const content = documentOf(
      {
        type: 'heading',
        level: 1,
        content: [{ type: 'mergeField', attrs: { name: 'FIRST_NAME', fallback: 'Hello' } }],
      },
      button,
    )
    const { set } = await world.run(setOf('funnel'), {
      input: { id: funnel.id, subject: 'One click {{FIRST_NAME}}', content },
    })
    expect(set.owner).toMatchObject({
      confirmationEmail: { subject: 'One click {{FIRST_NAME}}' },
      confirmationCheck: {
        isSent: true,
        findings: expect.arrayContaining([{ code: 'MERGE_FIELD_UNKNOWN', severity: 'WARNING' }]),
      },
    })
    const sent = await optIn('ada@example.com')
    expect([sent?.subject, sent?.from?.text]).toEqual(['One click', '"Kiln" <shop@kiln.example>'])
    expect(sent?.html).toContain('Hello')
    expect(`${sent?.html}${sent?.text}`).not.toMatch(/spam|unsubscribe|\/t\/|\/u\//i)
    expect([
      sent?.headers.has('list-unsubscribe'),
      sent?.headers.has('list'),
      sent?.headers.get('auto-submitted'),
    ]).toEqual([false, false, 'auto-generated'])
    expect((await requestPage(server, confirmPath(sent?.text), { form: {} })).body).toContain('Thank you')

    const own = await world.run(setOf('form'), {
      input: { id: form.id, html: '<p><a href="{{CONFIRM_URL}}">Confirm</a></p>' },
    })
    expect(own.set.email.subject).toBe('Please confirm: e-mail from Ada & Co')
    expect((await optIn('bob@example.com'))?.html).toBe(
      `<p><a href="${await linkOf('bob@example.com')}">Confirm</a></p>`,
    )
    // What became of both, and of a third one that is not confirmed in time.
    expect(await figuresOf(world, 'form', form.id)).toMatchObject({
      confirmations: { sent: 2, confirmed: 1, waiting: 1, lost: 0 },
    })
    clock.set(new Date(start.getTime() + 7 * day))
    const expected = { confirmations: { sent: 2, confirmed: 1, waiting: 0, lost: 1 } }
    expect(await figuresOf(world, 'form', form.id)).toMatchObject(expected)
    expect(await figuresOf(world, 'funnel', funnel.id)).toMatchObject(expected)
    expect(server.errors).toEqual([])
  })

  async function linkOf(address: string): Promise<string> {
    const [message] = await mailbox.messagesTo(address)
    return /http\S+\/c\/[^\s\])]+/.exec(message?.text ?? '')?.[0] ?? ''
  }

  it('is replaced by the message of the server if it has an error, and is sent as a test', async () => {
    const { world, funnel, form, optIn } = await newPage()
    const faulty: [string, object][] = [
      ['CONFIRM_LINK_MISSING', { html: '<p>Hello</p>' }],
      ['CONFIRM_LINK_MISSING', { html: '<p hidden>{{CONFIRM_URL}}</p>' }],
      ['UNSUBSCRIBE_LINK', { content: documentOf(button, { type: 'footer' }) }],
      ['SENDER_UNVERIFIED', { html: '{{CONFIRM_URL}}', fromEmail: 'me@other.example' }],
      ['NO_SUBJECT', { html: '{{CONFIRM_URL}}', fromEmail: 'shop@kiln.example', subject: '' }],
    ]
    for (const [code, input] of faulty) {
      const { set } = await world.run(setOf('form'), { input: { id: form.id, ...input } })
      expect(set.owner.confirmationCheck).toMatchObject({ isSent: false })
      expect(set.owner.confirmationCheck.findings[0]).toEqual({ code, severity: 'ERROR' })
    }
    expect((await optIn('eve@example.com'))?.subject).toBe('Please confirm: e-mail from Ada & Co')

    const test = (emails: string[]) =>
      world.ask(
        'mutation ($id: ID!, $emails: [String!]!) { formConfirmationTest(input: { id: $id, emails: $emails }) { results { state } } }',
        { id: form.id, emails },
      )
    await world.run(setOf('form'), { input: { id: form.id, subject: 'Confirm', content: documentOf(button) } })
    expect((await test(['me@example.com'])).body.data.formConfirmationTest.results).toEqual([{ state: 'SENT' }])
    const [message] = await mailbox.messagesTo('me@example.com')
    expect([message?.subject, message?.headers.has('list')]).toEqual(['[Test] Confirm', false])
    expect((await requestPage(server, confirmPath(message?.text))).body).toContain('has no effect')
    await world.run('mutation ($id: ID!) { formConfirmationReset(input: { id: $id }) { form { id } } }', {
      id: form.id,
    })
    expect((await test(['me@example.com'])).body.errors[0].extensions.code).toBe('INVALID_STATE')
    expect(await figuresOf(world, 'funnel', funnel.id)).toMatchObject({
      confirmationEmail: null,
      confirmationCheck: null,
    })
  })

  it('is copied and deleted with its form or funnel, and found where media and reusable blocks are used', async () => {
    const { world, funnel, form } = await newPage()
    await storedMedia(world)
    const [picture] = (await world.run('{ media(first: 1) { nodes { url } } }')).media.nodes
    const block = await newReusableBlock(world)
    const content = documentOf(
      { type: 'image', src: picture.url, alt: '' },
      { type: 'reusable', reusableBlockId: block.id },
      button,
    )
    for (const [owner, { id }] of [
      ['form', form],
      ['funnel', funnel],
    ] as const) {
      await world.run(setOf(owner), { input: { id, subject: owner, content } })
    }
    const uses =
      '{ media(first: 1) { nodes { usedIn { kind title node { id } } } } reusableBlocks(first: 1) { nodes { usedIn { id } } } }'
    const { media, reusableBlocks } = await world.run(uses)
    expect(
      media.nodes[0].usedIn.map(({ kind, node }: { kind: string; node: { id: string } }) => [kind, node.id]).sort(),
    ).toEqual([
      ['FORM', form.id],
      ['FUNNEL', funnel.id],
    ])
    expect(reusableBlocks.nodes[0].usedIn.map(({ id }: { id: string }) => id).sort()).toEqual(
      [form.id, funnel.id].sort(),
    )

    const copy = 'confirmationEmail { subject html }'
    const { copied, formCopy } = await world.run(
      `mutation ($funnel: ID!, $form: ID!) {
        copied: funnelDuplicate(input: { id: $funnel }) { funnel { id ${copy} steps { form { ${copy} } } } }
        formCopy: formDuplicate(input: { id: $form }) { form { ${copy} } } }`,
      { funnel: funnel.id, form: form.id },
    )
    expect(copied.funnel).toMatchObject({
      confirmationEmail: { subject: 'funnel', html: expect.stringContaining('CONFIRM_URL') },
      steps: [{ form: { confirmationEmail: { subject: 'form', html: expect.stringContaining('CONFIRM_URL') } } }],
    })
    expect(formCopy.form.confirmationEmail.subject).toBe('form')
    const count = async () =>
      (await world.rows('SELECT FROM email WHERE account_id = $1 AND is_confirmation', [world.accountId])).length
    expect(await count()).toBe(5)
    for (const { id } of [funnel, copied.funnel])
      await world.run('mutation ($id: ID!) { funnelDelete(input: { id: $id }) { deletedFunnelId } }', { id })
    expect(await count()).toBe(1)
  })
})
