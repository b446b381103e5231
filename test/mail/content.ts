// Documents of blocks, for tests.

type Json = Readonly<Record<string, unknown>>

/** A paragraph of plain text, as rich text. */
export const paragraph = (text: string): Json => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
})

/** A document with one section of one column. */
export const documentOf = (...blocks: readonly Json[]): Json => ({
  version: 1,
  sections: [{ type: 'section', columns: [{ blocks }] }],
})

const text = (value: string, ...marks: readonly Json[]) => ({
  type: 'text',
  text: value,
  ...(marks.length > 0 && { marks }),
})
const item = (...content: readonly Json[]) => ({ type: 'listItem', content })
const line = (...content: readonly Json[]) => ({ type: 'paragraph', content })
const link = (href: string) => ({ type: 'link', attrs: { href } })

/** A newsletter with a block of each type. */
export const newsletter: Json = {
  version: 1,
  sections: [
    {
      type: 'section',
      columns: [
        {
          blocks: [
            { type: 'logo' },
            {
              type: 'heading',
              level: 1,
              align: 'center',
              content: [text('News from the '), text('tower', { type: 'italic' })],
            },
            {
              type: 'text',
              content: {
                type: 'doc',
                content: [
                  line(
                    text('Hello '),
                    { type: 'mergeField', attrs: { name: 'FIRST_NAME', fallback: 'friend & <all>' } },
                    text(', 1 < 2 and '),
                    text('a link', { type: 'bold' }, link('https://example.com/?a=1&b={{FIRST_NAME}}')),
                    { type: 'hardBreak' },
                    text('ends.', { type: 'underline' }),
                  ),
                  {
                    type: 'bulletList',
                    content: [
                      item(line(text('One')), { type: 'orderedList', content: [item(line(text('Nested')))] }),
                      item(line(text('Two'))),
                    ],
                  },
                ],
              },
            },
            { type: 'image', src: 'https://example.com/a.png', alt: 'A "tower"', href: 'https://example.com/a' },
            { type: 'button', text: 'Read & more', href: 'https://example.com/read?x=1&y=2' },
          ],
        },
      ],
    },
    {
      type: 'section',
      columns: [
        {
          width: 8,
          blocks: [
            { type: 'heading', level: 3, content: [text('Left')] },
            { type: 'text', content: paragraph('Text') },
          ],
        },
        {
          blocks: [
            {
              ...{ type: 'product', name: 'A bell', price: '12.50 EUR', description: 'It rings.', button: 'Buy' },
              ...{ src: 'https://example.com/b.png', alt: 'A bell', href: 'https://example.com/bell' },
            },
          ],
        },
      ],
    },
    {
      type: 'section',
      backgroundColor: '#12343b',
      stacked: false,
      columns: [
        { blocks: [{ type: 'text', content: paragraph('Own colour') }] },
        {
          blocks: [{ type: 'video', href: 'https://example.com/v', src: 'https://example.com/v.png', alt: 'A video' }],
        },
      ],
    },
    {
      type: 'section',
      columns: [
        {
          blocks: [
            { type: 'divider' },
            { type: 'html', html: '<table><tr><td style="color:#990000">Own <script>alert(1)</script>HTML' },
            { type: 'spacer', height: 10 },
            { type: 'social', links: [{ network: 'MASTODON', href: 'https://example.com/m' }] },
            { type: 'footer', address: 'Campanile\n1 Bell Street', text: 'You signed up.' },
          ],
        },
      ],
    },
  ],
}
