import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { encodeMime } from '../../src/mail/delivery/mime/mime-encoder.ts'
import type { OutgoingMessage } from '../../src/mail/outgoing-message.ts'

const message = (fields: Partial<OutgoingMessage>): OutgoingMessage => ({
  messageId: '<1.2.abc@example.com>',
  from: { name: 'Ada', address: 'ada@example.com' },
  to: { name: '', address: 'grace@example.com' },
  subject: 'News',
  html: '',
  text: '',
  headers: {},
  ...fields,
})

async function encode(fields: Partial<OutgoingMessage>) {
  const { raw, ...envelope } = await encodeMime(message(fields))
  const source = Buffer.from(raw).toString('latin1')
  return {
    source,
    envelope,
    parsed: await simpleParser(Buffer.from(raw), { skipHtmlToText: true, skipTextToHtml: true }),
  }
}

/** Text as it is after decoding: with the line breaks that the decoder returns, and without one at the end. */
const normal = (text: string) => text.replace(/\r\n|\r/g, '\n').replace(/\n$/, '')

/** Pieces of bodies whose encoding has special cases. */
const piece = fc.oneof(
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '.',
    '=',
    '=3D',
    '--',
    'From ',
    'é',
    'ж',
    '漢字',
    '👍🏽',
    '\u00a0',
    'x'.repeat(75),
  ].map(fc.constant),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.string({ maxLength: 200 }),
)
const body = fc
  .array(piece, { maxLength: 30 })
  .map((pieces) => `${pieces.join('').replaceAll('\0', '').toWellFormed()}!`)

describe('a message that is encoded', () => {
  it('contains any text and HTML, in lines of ASCII that every mail server accepts', async () => {
    await fc.assert(
      fc.asyncProperty(body, body, async (text, html) => {
        const { source, parsed } = await encode({ text, html })
        expect(normal(parsed.text ?? '')).toBe(normal(text))
        expect(normal(parsed.html || '')).toBe(normal(html))
        expect(source).toMatch(/^[\t\r\n\x20-\x7e]*$/)
        expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
        const lines = source.split('\r\n')
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps ASCII with short lines readable', async () => {
    const { source } = await encode({ text: 'Hello = Ada\n.\n', html: '<p>Hello</p>' })
    expect(source).toContain('\r\nHello = Ada\r\n.\r\n')
    expect(source).toContain('Content-Transfer-Encoding: 7bit')
  })

  it('has short text in alphabets other than Latin, and no line of quoted-printable that begins with a dot', async () => {
    const words = 'жук и лев, '.repeat(300)
    const russian = await encode({ text: words })
    expect(russian.source.length).toBeLessThan(Buffer.byteLength(words) * 1.5)
    const { source } = await encode({ html: `é${'.'.repeat(1_000)}` })
    expect(source).toContain('quoted-printable')
    expect(source).not.toMatch(/^\./m)
  })

  it('has one part if there is only text or only HTML', async () => {
    const [text, html] = [await encode({ text: 'Hello' }), await encode({ html: '<p>Hello</p>' })]
    expect([text.source, html.source].join()).not.toContain('multipart')
    expect([text.parsed.text?.trim(), html.parsed.html]).toEqual(['Hello', expect.stringContaining('<p>Hello</p>')])
  })

  it('encodes names, subjects and domains', async () => {
    const { parsed, envelope } = await encode({
      from: { name: 'Zoë, von "Lovelace"', address: 'ada@bücher.example' },
      to: { name: '漢字', address: '"a b"@example.com' },
      subject: `Grüße ${'and more '.repeat(20)}漢字`,
      text: 'x',
    })
    expect(parsed.from?.value[0]?.name).toBe('Zoë, von "Lovelace"')
    expect(parsed.subject).toBe(`Grüße ${'and more '.repeat(20)}漢字`)
    expect(envelope).toEqual({ from: 'ada@xn--bcher-kva.example', to: ['"a b"@example.com'] })
  })

  it('has its own envelope if one is given', async () => {
    const { envelope } = await encode({ text: 'x', envelope: { from: 'bounce+1@example.com', to: 'bob@example.com' } })
    expect(envelope).toEqual({ from: 'bounce+1@example.com', to: ['bob@example.com'] })
  })
})
