import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { createSubscriber, newMailWorld, oneClickUrl, ownUrls } from './reading.ts'

const field = '{{UNSUBSCRIBE_URL}}'
const link = `<a href="${field}">Leave</a>`

const SetContent =
  'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
const Check = 'query ($id: ID!) { campaignCheck(id: $id) { findings { code field message } } }'

let world: World
beforeAll(async () => {
  world = await newWorld()
})

/** Returns what campaignCheck finds about the unsubscribe links of a campaign with this content. */
async function faults(content: { html: string; text?: string }): Promise<{ field: string; message: string }[]> {
  const { id } = await world.campaign({ subject: 'News', fromEmail: 'ada@example.com' })
  await world.run(SetContent, { input: { id, ...content } })
  const { findings } = (await world.run(Check, { id })).campaignCheck
  return findings
    .filter(({ code }: { code: string }) => code === 'UNSUBSCRIBE_LINK_MISSING')
    .map(({ field, message }: { field: string; message: string }) => ({ field, message }))
}

describe('campaignCheck', () => {
  it.each([
    ['a link', link],
    ['a link of an image', `<a href='${field}'><img src="https://a.example/leave.png" alt=""></a>`],
    ['a link with spaces and a fallback', '<a href=" {{ unsubscribe_url : none }} "><b>Leave</b></a>'],
    ['a link whose braces a program has encoded', `<a href="${encodeURIComponent(field)}">Leave</a>`],
    ['a link with a query', `<a href="${field}?from=mail#top">Leave</a>`],
    ['an area of an image', `<img src="a.png" usemap="#m"><map name="m"><area href="${field}" alt="Leave"></map>`],
    ['visible text', `<p>To leave: ${field}.</p>`],
    ['text as its own link', `<a href="${field}">${field}</a>`],
    ['a link that only Outlook does not show', `<!--[if !mso]><!-->${link}<!--<![endif]-->`],
    ['a link beside a comment', `<!-- ${field} -->${link}`],
    [
      'a link that is visible in invisible text',
      `<td style="font-size:0"><span style="font-size:12px">${link}</span></td>`,
    ],
    ['a link in a body whose head has no end', `<head><title>News</title><body>${link}`],
  ])('accepts %s', async (_name, html) => expect(await faults({ html })).toEqual([]))

  it.each([
    ['in a comment', `<!-- ${field} -->`],
    ['in a comment', `<!-- ${link}`],
    ['in a conditional comment for Outlook', `<!--[if gte mso 9]>${link}<![endif]-->`],
    ['in the attribute title of <p>', `<p title="${field}">Hi</p>`],
    ['in the attribute src of <img>', `<img src="${field}">`],
    ['in the attribute action of <form>', `<form action="${field}"><button>Leave</button></form>`],
    ['inside the tag <p>', `<p ${field}>Hi</p>`],
    ['as part of another URL in a link', `<a href="http://${field}">Leave</a>`],
    ['as part of another URL in a link', `<a href="https://a.example/?to=${field}">Leave</a>`],
    ['as part of another URL or word', `<p>https://a.example/?to=${field}</p>`],
    ['as text of another link', `<a href="https://a.example/">${field}</a>`],
    ['with braces that are character references', '<a href="&#123;&#123;UNSUBSCRIBE_URL&#125;&#125;">Leave</a>'],
    ['in a link without visible content', `<a href="${field}"> &nbsp;&#8203;</a>`],
    ['in a link without visible content', `<a href="${field}"><img src="a.png" width="1" height="1"></a>`],
    ['in an <area> of no image', `<map name="m"><area href="${field}"></map>`],
    ['inside <title>', `<title>${field}</title>`],
    ['inside <style>', `<style>p { color: ${field} }</style>`],
    ['inside <script>', `<script>${field}</script>`],
    ['inside <head>', `<head>${link}</head>`],
    ['inside a hidden <div>', `<div style="color: red; DISPLAY : none !important">${link}</div>`],
    ['inside a hidden <p>', `<p hidden>${link}</p>`],
    ['inside a hidden <td>', `<table><tr><td style="max-height:0px;overflow:hidden">${link}</td></tr></table>`],
    ['in invisible text', `<p style="font-size:0">${field}</p>`],
  ])('names the place of one that cannot be used: %s', async (place, html) => {
    const [fault, ...others] = await faults({ html: `<p>Hello</p>\n${html}` })
    expect([fault?.field, others]).toEqual(['HTML', []])
    expect(fault?.message).toContain(`html contains {{UNSUBSCRIBE_URL}} only ${place}`)
    expect(fault?.message).toMatch(/\(line 2\).*, so an unsubscribe link is appended to each message\.$/)
  })

  it.each([
    ['does not contain {{UNSUBSCRIBE_URL}}', 'Bye'],
    ['as part of another URL or word', `http://${field}`],
    ['as part of another URL or word', `Leave${field}`],
    ['as part of another URL or word', `https://a.example/${encodeURIComponent(field)}`],
  ])('names the place in a text: %s', async (place, text) => {
    expect(await faults({ html: link, text })).toMatchObject([
      { field: 'TEXT', message: expect.stringContaining(place) },
    ])
  })

  it('accepts a text with the URL alone', async () => {
    for (const text of [field, `Leave: <${field}>.`, `[Leave](${field})`])
      expect(await faults({ html: link, text })).toEqual([])
  })

  it('names three places at most', async () => {
    const [fault] = await faults({ html: `<!-- ${field} -->\n`.repeat(2_000) })
    expect(fault?.message).toMatch(/only in a comment \(line 1\), [^,]*, in a comment \(line 3\) and elsewhere, where/)
  })
})

describe('a message', () => {
  it.each([
    ['a part of another URL', `<p>Hi</p><a href="http://${field}">Leave</a>`],
    ['a comment', `<p>Hi</p><!-- ${field} -->`],
    ['a comment without an end', `<!doctype html><body><p>Hi</p><!-- ${field}`],
    [
      'a hidden element without an end',
      `<html><head></head><body class="x"><p>Hi</p><div style="display:none">${field}`,
    ],
  ])('gets a link that works if its own is in %s', async (_name, html) => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const [received] = await send({ html, text: `http://${field}` })
    if (!received) throw new Error('Nothing came.')
    expect(ownUrls(received, '/u/')).toContain(oneClickUrl(received))
    const [before = ''] = received.html.split(`<a href="${oneClickUrl(received)}">Unsubscribe</a>`)
    expect(before.length).toBeLessThan(received.html.length)
    expect(before).not.toMatch(/<!-- [^>]*$|display:none/)
    expect(received.text).toContain(`Unsubscribe: ${oneClickUrl(received)}`)
  })
})
