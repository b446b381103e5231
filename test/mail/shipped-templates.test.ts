import { describe, expect, it } from 'vitest'
import { contrastOf, defaultStyle, minContrast, textColorOn, withReusable } from '../../src/content/rendering.ts'
import { darkColors } from '../../src/mail/compile/style.ts'
import { listShipped } from '../../src/mail/templates/shipped-templates.ts'
import { thumbnailOf } from '../../src/mail/templates/thumbnail.ts'
import { newWorld } from '../support/world.ts'
import { documentOf, paragraph } from './content.ts'

const all = listShipped()
const Start = `mutation ($id: ID!, $key: ShippedTemplateKey!) {
  campaignContentSet(input: { id: $id, shippedTemplate: $key }) { campaign { email { content html text } } } }`

describe('the templates of the product', () => {
  it('are twelve, each with its document and a picture', async () => {
    const world = await newWorld()
    const { shippedTemplates } = await world.run(
      '{ shippedTemplates { key name description subject preheader content thumbnail } }',
    )
    expect(shippedTemplates).toHaveLength(12)
    for (const { content, thumbnail, ...texts } of shippedTemplates) {
      expect(content).toMatchObject({ version: 1 })
      expect(thumbnail).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/s)
      expect(Object.values(texts).every((text) => (text as string).length > 3)).toBe(true)
    }
  })

  it.each(all.map(({ key, subject, preheader }) => [key, subject, preheader]))(
    '%s begins a campaign in which the check finds nothing',
    async (key, subject, preheader) => {
      const world = await newWorld()
      await world.contact({ emailMarketing: true })
      const { id } = await world.campaign({ subject, preheader, audience: { sendToAll: true } })
      const { email } = (await world.run(Start, { id, key })).campaignContentSet.campaign
      expect(email.html).not.toMatch(/<img|undefined|\[object/)
      const { campaignCheck } = await world.run(
        'query ($id: ID!) { campaignCheck(id: $id) { canSend findings { code message } } }',
        { id },
      )
      expect(campaignCheck).toEqual({ canSend: true, findings: [] })
    },
  )

  it.each(all.map(({ key, content }) => [key, content] as const))(
    '%s is readable in the dark scheme and on colours of the brand',
    (_key, { style, sections }) => {
      // What has no colour of its own gets those of the dark scheme.
      expect(style).toBe(undefined)
      expect(contrastOf(darkColors.text, darkColors.content)).toBeGreaterThan(minContrast.text)
      expect(contrastOf(darkColors.link, darkColors.content)).toBeGreaterThan(minContrast.text)
      for (const { backgroundColor, columns } of sections) {
        if (backgroundColor) {
          expect(contrastOf(textColorOn(backgroundColor), backgroundColor)).toBeGreaterThan(minContrast.text)
        }
        for (const block of columns.flatMap(({ blocks }) => blocks)) {
          expect(block).not.toHaveProperty('color')
          expect(block).not.toHaveProperty('backgroundColor')
        }
      }
    },
  )

  it('begin a stage, and are not combined with other content', async () => {
    const world = await newWorld()
    const stage = await world.stage(await world.sequence())
    const document = `mutation ($id: ID!, $content: JSON, $html: String) { sequenceStageContentSet(
      input: { id: $id, shippedTemplate: WELCOME, content: $content, html: $html }) { email { text } } }`
    const { email } = (await world.run(document, { id: stage.id })).sequenceStageContentSet
    expect(email.text).toContain('Begin in three steps')
    for (const other of [{ content: documentOf({ type: 'divider' }) }, { html: '<p>x</p>' }]) {
      const { extensions } = await world.fault(document, { id: stage.id, ...other })
      expect(extensions.details).toHaveProperty(['input.content'])
    }
  })
})

describe('a thumbnail', () => {
  const draw = (...blocks: readonly object[]) =>
    thumbnailOf(withReusable(documentOf(...(blocks as never[])) as never, {}), defaultStyle)

  it('escapes text, refers to nothing, and leaves out what XML does not allow', () => {
    const svg = draw(
      { type: 'text', content: paragraph('</text><script>alert(1)</script> & "x" \u0001 é 🎉') },
      { type: 'image', src: 'https://example.com/a.png', alt: 'x' },
      { type: 'button', text: '<a>', href: 'https://example.com/' },
    )
    expect(svg).not.toMatch(/<script|<a>|<image|href|https:/)
    expect(svg).not.toContain('\u0001')
    expect(svg).toContain('&#60;a&#62;')
    expect(svg.match(/</g)?.length).toBe(svg.match(/>/g)?.length)
  })

  it('has at most 8 kB, however long the document is', () => {
    const long = Array.from({ length: 400 }, () => ({ type: 'text', content: paragraph('"<&'.repeat(2_000)) }))
    expect(Buffer.byteLength(draw(...long))).toBeLessThanOrEqual(8_000)
    const tiny = Array.from({ length: 400 }, () => ({ type: 'divider' }))
    expect(Buffer.byteLength(draw(...tiny))).toBeLessThanOrEqual(8_000)
  })
})
