import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { footer, Preview, SetContent, text, withTag } from './conditions.ts'
import { documentOf } from './content.ts'
import { createSubscriber, newMailWorld, read } from './reading.ts'

const section = (blocks: object[], showTo?: object) => ({
  type: 'section',
  columns: [{ blocks }],
  ...(showTo && { showTo }),
})

/** A message with a section for contacts with the first tag, and in it and after it a block for those with the second one. */
const nested = (first: object, second: object) => ({
  version: 1,
  sections: [
    section([text('Always')]),
    section([text('First'), text('Both', second), text('First again')], first),
    section([
      text('Second', second),
      { type: 'button', text: 'Go', href: 'https://example.com/go', showTo: second },
      footer,
    ]),
  ],
})

describe('blocks with a condition', () => {
  it('are shown to the contacts that match, in the HTML, the text, the preview and the view in a browser', async () => {
    const { world, sink } = await newMailWorld()
    const [one, two] = [await world.tag(), await world.tag()]
    const tagged = { none: [], first: [one.id], second: [two.id], both: [one.id, two.id] }
    const contacts = new Map<string, { id: string }>()
    for (const [name, addTagIds] of Object.entries(tagged)) {
      contacts.set(name, await createSubscriber(world, { email: `${name}@example.com`, addTagIds }))
    }
    const campaign = await world.campaign({ subject: 'News', fromEmail: 'ada@example.com' })
    await world.run(SetContent, { id: campaign.id, content: nested(withTag(one), withTag(two)) })
    const before = sink.taken.length
    await send(world, campaign)
    await expect.poll(() => sink.taken.length).toBe(before + 4)
    const shown = ['Always']
    const expected: Record<string, string[]> = {
      none: shown,
      first: [...shown, 'First', 'First again'],
      second: [...shown, 'Second', 'Go'],
      both: [...shown, 'First', 'Both', 'First again', 'Second', 'Go'],
    }
    for (const message of await Promise.all(sink.taken.slice(before).map(read))) {
      const name = message.to.split('@')[0] ?? ''
      const words = expected[name] ?? []
      expect(wordsOf(message.html), name).toEqual(words)
      expect(wordsOf(message.text), name).toEqual(words)
      expect(message.html).not.toMatch(/<!--(?:if|end) \d/)
      const view = /https?:[^"]*\/t\/v\/[^"]*/.exec(message.html)?.[0] ?? ''
      expect(wordsOf(await (await fetch(view)).text()), name).toEqual(words)
      const { preview } = (
        await world.run(
          `query ($id: ID!, $contactId: ID) { campaign(id: $id) { email { preview(contactId: $contactId) {
            html text conditions { paths holds } } } } }`,
          { id: campaign.id, contactId: contacts.get(name)?.id },
        )
      ).campaign.email
      expect(wordsOf(preview.html), name).toEqual(words)
      expect(preview.conditions).toEqual([
        { paths: ['sections.1'], holds: ['first', 'both'].includes(name) },
        {
          paths: ['sections.1.columns.0.blocks.1', 'sections.2.columns.0.blocks.0', 'sections.2.columns.0.blocks.1'],
          holds: ['second', 'both'].includes(name),
        },
      ])
    }
  })

  it('keep the outcome that a message was sent with, until the message has other conditions', async () => {
    const { world, sink } = await newMailWorld()
    const tag = await world.tag()
    const contact = await createSubscriber(world, { addTagIds: [tag.id] })
    const campaign = await world.campaign({ subject: 'News', fromEmail: 'ada@example.com' })
    const content = (filter: object) => documentOf(text('Always'), text('Second', filter), footer)
    await world.run(SetContent, { id: campaign.id, content: content({ and: [withTag(tag)] }) })
    const before = sink.taken.length
    await send(world, campaign)
    await expect.poll(() => sink.taken.length).toBe(before + 1)
    const { html } = await read(sink.taken[before] as never)
    const view = async () => wordsOf(await (await fetch(/https?:[^"]*\/t\/v\/[^"]*/.exec(html)?.[0] ?? '')).text())
    await world.run(
      'mutation ($id: ID!, $tagId: ID!) { contactTagRemove(input: { contact: { id: $id }, tagId: $tagId }) { contact { id } } }',
      { id: contact.id, tagId: tag.id },
    )
    expect(await view()).toEqual(['Always', 'Second'])
    await world.rows('UPDATE email SET conditions_version = conditions_version + 1 WHERE account_id = $1', [
      world.accountId,
    ])
    expect(await view()).toEqual(['Always'])
  })

  it('are copied, and HTML replaces them', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const contact = await world.contact()
    const campaign = await world.campaign()
    await world.run(SetContent, {
      id: campaign.id,
      content: documentOf(text('Always'), text('Second', withTag(tag)), footer),
    })
    const { campaignDuplicate } = await world.run(
      'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { id } } }',
      { id: campaign.id },
    )
    const shown = async ({ id }: { id: string }) => {
      const { preview } = (await world.run(Preview, { id, contactId: contact.id })).campaign.email
      return [wordsOf(preview.html), wordsOf(preview.text)]
    }
    await world.run(SetContent, { id: campaign.id, html: '<!--if 0--><p>First</p><!--end 0-->', text: '' })
    expect(await shown(campaign)).toEqual([['First'], ['First']])
    expect(await shown(campaignDuplicate.campaign)).toEqual([['Always'], ['Always']])
  })

  it('are also those of reusable blocks, together with the condition of the reference', async () => {
    const world = await newWorld()
    const [one, two] = [await world.tag(), await world.tag()]
    const create =
      'mutation ($content: JSON!) { reusableBlockCreate(input: { name: "x", content: $content }) { reusableBlock { id } } }'
    const { reusableBlock } = (await world.run(create, { content: [text('First'), text('Both', withTag(two))] }))
      .reusableBlockCreate
    const reference = { type: 'reusable', reusableBlockId: reusableBlock.id, showTo: withTag(one) }
    const campaign = await world.campaign()
    await world.run(SetContent, { id: campaign.id, content: documentOf(text('Always'), reference, footer) })
    const expected: [string[], string[]][] = [
      [[], ['Always']],
      [[one.id], ['Always', 'First']],
      [[two.id], ['Always']],
      [
        [one.id, two.id],
        ['Always', 'First', 'Both'],
      ],
    ]
    for (const [addTagIds, words] of expected) {
      const contact = await world.contact({ addTagIds })
      const { preview } = (await world.run(Preview, { id: campaign.id, contactId: contact.id })).campaign.email
      expect([wordsOf(preview.html), wordsOf(preview.text)]).toEqual([words, words])
    }
    const fault = await world.fault(create, { content: [text('x', { nonsense: true })] })
    expect(fault.extensions.details?.['input.content']).toEqual([
      expect.stringContaining('0.showTo is not a valid ContactFilterInput'),
    ])
  })

  it('never hide the unsubscribe link', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const contact = await world.contact()
    const campaign = await world.campaign()
    const content = documentOf(text('Always'), { ...footer, showTo: withTag(tag) })
    await world.run(SetContent, { id: campaign.id, content })
    const { campaign: found, campaignCheck } = await world.run(
      `query ($id: ID!, $contactId: ID) { campaign(id: $id) { email { preview(contactId: $contactId) { html text } } }
        campaignCheck(id: $id) { findings { code message } } }`,
      { id: campaign.id, contactId: contact.id },
    )
    expect(found.email.preview.html).toMatch(/href="[^"]*\/u\/[^"]*"/)
    expect(found.email.preview.text).toContain('/u/')
    expect(JSON.stringify(campaignCheck.findings)).toContain('only in blocks that are not shown to all recipients')
  })
})

const send = (world: World, { id }: { id: string }) =>
  world.run(
    'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
    { id },
  )

/** The words of the blocks in a body, in their order. */
function wordsOf(body: string): string[] {
  return [...body.matchAll(/\b(?:Always|First again|First|Both|Second|Go)\b/g)].map(([word]) => word)
}
