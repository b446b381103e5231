// @module-tag rows
import { describe, expect, it } from 'vitest'
import { type Ctx, newCtx } from '../../src/db/context.ts'
import { newSigner } from '../../src/kernel/web/signer.ts'
import { type RenderRequest, renderMessages } from '../../src/mail/messages/messages.ts'
import { newWorld, type World } from '../support/world.ts'

const html = '<p>Hi {{FIRST_NAME}}, {{FIELD.Size}}: <a href="https://shop.example/{{EMAIL}}">shop</a></p>'

/** Renders messages, and returns the results by recipient. */
const renderAll = async (ctx: Ctx, requests: readonly RenderRequest[]) =>
  new Map(await Array.fromAsync(renderMessages(ctx, requests)))

/** Creates a campaign with an e-mail and contacts with a custom field, and returns the input of `renderAll`. */
async function batchOf(size: number, content = html) {
  const world = await newWorld()
  const { email, id } = await world.campaign({ fromEmail: 'ada@example.com' })
  await setContent(world, id, content)
  const field = await world.customField({ name: 'Size' })
  await world.rows(
    `INSERT INTO contact (account_id, email, first_name, email_marketing, created_at, updated_at)
     SELECT $1, 'c' || i || '@example.com', 'C' || i, true, now(), now() FROM generate_series(1, $2::int) i`,
    [world.accountId, size],
  )
  await world.rows(
    "INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, updated_at) SELECT account_id, id, $2, '4' || id, now() FROM contact WHERE account_id = $1",
    [world.accountId, field.databaseId],
  )
  const contacts = await world.rows<{ id: number }>('SELECT id FROM contact WHERE account_id = $1 ORDER BY id', [
    world.accountId,
  ])
  const drafts = contacts.map(({ id: contactId }) => ({
    recipientId: BigInt(contactId) + 1_000n,
    contactId,
    emailId: email.databaseId,
  }))
  const { system } = world.server
  const ctx = (): Ctx =>
    newCtx(
      { ...system, signer: newSigner('a secret that only tests know'), baseUrl: () => 'https://mail.example.com' },
      { accountId: world.accountId },
    )
  return { world, campaignId: id, drafts, ctx }
}

async function setContent(world: World, id: string, content: string): Promise<void> {
  const document =
    'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
  await world.run(document, { input: { id, html: content } })
}

describe('renderMessages', () => {
  it('runs as many statements for 100 messages as for 2', async () => {
    const counts: number[] = []
    for (const size of [2, 100]) {
      const { world, drafts, ctx } = await batchOf(size)
      expect((await renderAll(ctx(), drafts)).size).toBe(size)
      counts.push(await world.statements(() => renderAll(ctx(), drafts)))
    }
    expect(counts[0]).toBeLessThanOrEqual(5)
    expect(counts[1]).toBe(counts[0])
  })

  it('renders the same messages each time', async () => {
    const { drafts, ctx } = await batchOf(3)
    const [first, second] = [await renderAll(ctx(), drafts), await renderAll(ctx(), drafts)]
    expect(second).toEqual(first)
    expect(new Set([...first.values()].map((letter) => 'messageId' in letter && letter.messageId)).size).toBe(3)
  })

  it('uses the ASCII domain of the sender in the Message-ID', async () => {
    const { world, campaignId, drafts, ctx } = await batchOf(1)
    await world.run(
      'mutation ($id: ID!) { campaignUpdate(input: { id: $id, fromEmail: "ada@Bücher.example" }) { campaign { id } } }',
      { id: campaignId },
    )
    const [received] = (await renderAll(ctx(), drafts)).values()
    expect(received).toMatchObject({ messageId: expect.stringMatching(/@xn--bcher-kva\.example>$/) })
  })

  it('renders the current body of the e-mail', async () => {
    const { world, campaignId, drafts, ctx } = await batchOf(1)
    await renderAll(ctx(), drafts)
    await setContent(world, campaignId, '<p>Changed</p>')
    const [received] = (await renderAll(ctx(), drafts)).values()
    expect(received).toMatchObject({
      html: expect.stringContaining('Changed'),
      text: expect.stringContaining('Changed'),
    })
  })

  it('renders the body of its own account, although another e-mail has the same id and version', async () => {
    const [ada, grace] = [await batchOf(1, '<p>Ada</p>'), await batchOf(1, '<p>Grace</p>')]
    const emailId = ada.drafts[0]?.emailId as number
    await grace.world.rows(
      `WITH moved AS (UPDATE email SET id = $2 WHERE account_id = $1)
       UPDATE campaign SET email_id = $2 WHERE account_id = $1`,
      [grace.world.accountId, emailId],
    )
    await grace.world.rows('UPDATE email SET updated_at = now() WHERE id = $1', [emailId])
    for (const [batch, name] of [[ada, 'Ada'] as const, [grace, 'Grace'] as const]) {
      const drafts = batch.drafts.map((draft) => ({ ...draft, emailId }))
      const [rendered] = (await renderAll(batch.ctx(), drafts)).values()
      expect(rendered).toMatchObject({ html: expect.stringContaining(`<p>${name}`) })
    }
  })

  it('returns an error for messages that cannot be rendered, and renders the others', async () => {
    const { world, drafts, ctx } = await batchOf(2)
    const [one, other] = drafts as [(typeof drafts)[0], (typeof drafts)[0]]
    const stranger = await (await world.other()).contact()
    const empty = await world.run(
      'mutation { campaignCreate(input: { name: "x" }) { campaign { email { databaseId } } } }',
    )
    const emailId = empty.campaignCreate.campaign.email.databaseId
    const created = await renderAll(ctx(), [
      one,
      { ...other, contactId: stranger.databaseId },
      { ...other, recipientId: 7n, emailId },
      { ...other, recipientId: 8n, emailId: 2_000_000_000 },
    ])
    expect(created.get(one.recipientId)).toHaveProperty('messageId')
    expect(created.get(other.recipientId)).toMatchObject({ cause: 'CONTACT' })
    expect(created.get(7n)).toMatchObject({ cause: 'EMAIL', error: 'The e-mail has no subject.' })
    expect(created.get(8n)).toMatchObject({ cause: 'EMAIL', error: 'The e-mail was deleted.' })
  })

  it('tracks only HTTP links that are not too long', async () => {
    const long = `https://shop.example/${'x'.repeat(4_000)}`
    const links = [long, 'https://[', 'https://{{FIELD.Size}}/', 'javascript:alert(1)', '//shop.example/']
    const { drafts, ctx } = await batchOf(1, links.map((url) => `<a href="${url}">x</a>`).join(''))
    const [received] = (await renderAll(ctx(), drafts)).values()
    expect(received && 'html' in received && received.html).not.toContain('/t/c/')
  })
})
