import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { newSigner } from '../../src/kernel/web/signer.ts'
import { renderMessages } from '../../src/mail/messages/messages.ts'
import { until } from '../runtime/process.ts'
import { newBlocker } from '../support/blocker.ts'
import { newWorld, type World } from '../support/world.ts'
import { footer, SetContent, text, withTag } from './conditions.ts'
import { documentOf } from './content.ts'
import { createSubscriber, newMailWorld } from './reading.ts'
import { hurry, waitForStatus } from './sending.ts'

async function faultsOf(world: World, id: string, content: unknown): Promise<string[]> {
  const { extensions } = await world.fault(SetContent, { id, content })
  return extensions.details?.['input.content'] ?? [JSON.stringify(extensions)]
}

describe('the conditions of blocks', () => {
  it('are refused if they are too many or no filter, with their path', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const filters = (count: number) =>
      Array.from({ length: count }, (_, n) => text('x', { email: { eq: `${n}@example.com` } }))
    await world.run(SetContent, { id: campaign.id, content: documentOf(...filters(20), ...filters(20)) })
    expect(await faultsOf(world, campaign.id, documentOf(...filters(21)))).toEqual([
      'must have at most 20 different conditions',
    ])
    const at = 'sections.0.columns.0.blocks.0.showTo'
    const cases: [object, string][] = [
      [{ nonsense: true }, `${at} is not a valid ContactFilterInput: Field "nonsense" is not defined`],
      [{ email: { eq: 5 } }, `${at} is not a valid ContactFilterInput at email.eq: String cannot represent`],
      [{ email: { contains: 'a' } }, `${at}.email`],
      [{ not: { not: { not: { not: { not: { gdpr: true } } } } } }, `${at} must have at most`],
    ]
    for (const [filter, expected] of cases)
      expect(await faultsOf(world, campaign.id, documentOf(text('x', filter)))).toEqual([
        expect.stringContaining(expected),
      ])
    expect(await faultsOf(world, campaign.id, documentOf({ ...text('x'), showTo: 'all' }))).toEqual([
      expect.stringContaining(at),
    ])
    const key = await world.key({ scopes: ['campaigns:write', 'campaigns:read', 'contacts:read'] })
    const fault = await world.fault(
      SetContent,
      { id: campaign.id, content: documentOf(text('x', { purchases: { orders: { gte: '1' } } })) },
      { key },
    )
    expect(fault.extensions.code).toBe('FORBIDDEN')
  })

  it('are checked: nobody who gets the message sees a block, and what a condition excludes was deleted', async () => {
    const world = await newWorld()
    const [one, two, deleted] = [await world.tag(), await world.tag(), await world.tag()]
    await createSubscriber(world, { addTagIds: [one.id] })
    await world.contact({ addTagIds: [two.id] })
    const campaign = await world.campaign()
    const content = documentOf(
      text('a', withTag(one)),
      text('b', withTag(two)),
      text('c', { tags: { none: [deleted.id] } }),
      footer,
    )
    await world.run(SetContent, { id: campaign.id, content })
    await world.run(
      'mutation ($id: ID!) { campaignUpdate(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
      { id: campaign.id },
    )
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: deleted.id })
    const { campaignCheck } = await world.run(
      'query ($id: ID!) { campaignCheck(id: $id) { findings { code path severity } } }',
      { id: campaign.id },
    )
    const found = campaignCheck.findings.filter(({ path }: { path: string | null }) => path !== null)
    expect(found).toEqual([
      { code: 'BLOCK_HIDDEN', path: 'sections.0.columns.0.blocks.1', severity: 'WARNING' },
      { code: 'CONDITION_INVALID', path: 'sections.0.columns.0.blocks.2', severity: 'WARNING' },
    ])
  })

  it('of several messages are evaluated for a preview in one statement', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const [one, two] = [await world.tag(), await world.tag()]
    for (const tag of [one, two]) {
      const campaign = await world.campaign()
      await world.run(SetContent, {
        id: campaign.id,
        content: documentOf(text('First', withTag(tag)), text('Always'), footer),
      })
    }
    const query = `query ($first: Int!, $contactId: ID) { campaigns(first: $first) { nodes { email {
      preview(contactId: $contactId) { text conditions { holds } } } } } }`
    const previews = (first: number) => world.run(query, { first, contactId: contact.id })
    expect((await previews(2)).campaigns.nodes).toHaveLength(2)
    expect(await world.statements(() => previews(2))).toBe(await world.statements(() => previews(1)))
  })

  it('of a filter that became invalid stop the campaign, and are evaluated in one statement', async () => {
    const { world } = await newMailWorld()
    const ids = [await createSubscriber(world), await createSubscriber(world)].map(({ databaseId }) => databaseId)
    const campaign = await world.campaign()
    await world.run(SetContent, {
      id: campaign.id,
      content: documentOf(
        ...Array.from({ length: 20 }, (_, n) => text('x', { email: { eq: `${n}@example.com` } })),
        footer,
      ),
    })
    const { email } = (
      await world.run('query ($id: ID!) { campaign(id: $id) { email { databaseId } } }', { id: campaign.id })
    ).campaign
    const render = async () => {
      const results: object[] = []
      const ctx = newCtx({ ...world.server.system, signer: newSigner('a secret') }, { accountId: world.accountId })
      for await (const [, result] of renderMessages(
        ctx,
        ids.map((contactId) => ({ recipientId: BigInt(contactId), contactId, emailId: email.databaseId })),
      ))
        results.push(result)
      return results
    }
    await render()
    const withConditions = await world.statements(render)
    await world.run(SetContent, { id: campaign.id, content: documentOf(text('x'), footer) })
    await render()
    expect(withConditions).toBe((await world.statements(render)) + 1)
    await world.run(SetContent, {
      id: campaign.id,
      content: documentOf(text('x', { email: { eq: 'a@example.com' } }), footer),
    })
    await world.rows(
      `UPDATE email SET conditions = jsonb_set(conditions, '{filters,0}', '{"email": {"contains": "a"}}')
       WHERE account_id = $1 AND id = $2`,
      [world.accountId, email.databaseId],
    )
    expect(await render()).toEqual(
      ids.map(() => ({
        cause: 'EMAIL',
        error: expect.stringContaining('A condition of the e-mail cannot be evaluated'),
      })),
    )
  })

  it('that take too long are evaluated again, and stop the campaign with the reason if they always do', async () => {
    const { world, sink } = await newMailWorld()
    await createSubscriber(world)
    const campaign = await world.campaign({ subject: 'News', fromEmail: 'ada@example.com' })
    const content = documentOf(text('Always'), text('x', { purchases: { orders: { gte: '1' } } }), footer)
    await world.run(SetContent, { id: campaign.id, content })
    const blocker = await newBlocker(world)
    await blocker.query('LOCK TABLE "order"')
    await world.run(
      'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
      { id: campaign.id },
    )
    const read = async () =>
      (
        await world.rows<{ attempts: number; answer: string | null }>(
          'SELECT attempts, answer FROM mail_recipient WHERE account_id = $1',
          [world.accountId],
        )
      )[0]
    const reason = expect.stringMatching(
      /^A condition of the e-mail cannot be evaluated: .* takes longer than 2 seconds/,
    )
    for (const attempts of [1, 2]) {
      await until(async () => (await read())?.attempts === attempts)
      expect(await read()).toEqual({ attempts, answer: reason })
      await hurry(world)
    }
    expect(await waitForStatus(world, campaign.id, 'ERROR')).toMatchObject({ errorCode: 'TEMPLATE_ERROR', sentTo: 0 })
    expect(await read()).toMatchObject({ answer: reason })
    await blocker.query('ROLLBACK')
    await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { id } } }', campaign)
    expect(await waitForStatus(world, campaign.id, 'SENT')).toMatchObject({ sentTo: 1 })
    expect(sink.taken).toHaveLength(1)
    expect(world.server.errors).toEqual([])
  })
})
