import { beforeAll, describe, expect, it } from 'vitest'
import { createSubscriber, type MailWorld, newMailWorld } from './reading.ts'

let mail: MailWorld
beforeAll(async () => {
  mail = await newMailWorld()
  await createSubscriber(mail.world, { email: 'bob@example.com', firstName: 'Bob' })
})

/** Returns the plain text of a message with this HTML, without the footer. */
async function textOf(html: string): Promise<string> {
  const [received] = await mail.send({ html })
  return (received?.text ?? '').split('\n\n-- \n')[0]?.trimEnd() ?? ''
}

const shop = 'https://shop.example/?n={{FIRST_NAME}}'
const filler = '&#847;&zwnj;&nbsp;&#8199;&shy;'.repeat(40)

describe('the text of a message, if it is generated from HTML', () => {
  it.each([
    ['alternative texts', '<p>Look: <img src="a.png" alt="Spring sale"> now</p>', 'Look: Spring sale now'],
    ['images beside each other', '<img alt="A"><img alt="B"><img src="c.png">!', 'A B!'],
    [
      'a link of an image',
      `<a href="${shop}"><img src="a.png" alt="Shop now"></a>`,
      'Shop now [https://shop.example/?n=Bob]',
    ],
    ['a link of an image without a text', '<a href="https://a.example/"><img src="a.png"></a>', 'https://a.example/'],
    [
      'links beside each other',
      '<a href="https://a.example">A</a><a href="https://b.example">B</a>, end',
      'A [https://a.example] B [https://b.example], end',
    ],
    ['a link in brackets', '(<a href="https://a.example/x y">A</a>).', '(A [https://a.example/x%20y]).'],
    [
      'addresses',
      '<a href="mailto:a@b.example">a@b.example</a>, <a href="https://b.example/">https://b.example</a>',
      'a@b.example, https://b.example',
    ],
    [
      'an address with a line break and a tab, as browsers read it',
      '<a href="https://a.example/\n\tx?y=1">A</a>',
      'A [https://a.example/x?y=1]',
    ],
    ['links to no page', '<a href="#top">Top</a> <a href="javascript:x">Run</a>', 'Top Run'],
    [
      'rows of a table',
      '<table><tr><th>Bowl</th><td>40.00</td></tr><tr><td><p>Cup</p><p>blue</p></td><td>9.00</td></tr></table>',
      'Bowl   40.00\nCup blue   9.00',
    ],
    [
      'a layout table',
      '<table><tr><td><h2>News</h2><p>One</p></td><td><ul><li>Two</ul></td></tr></table>',
      'News\n\nOne\n\n * Two',
    ],
    ['lists', '<ol start="3"><li>A<li>B<ul><li>C</ul></ol>', ' 3. A\n 4. B\n    * C'],
    ['blocks and line breaks', '<section>A</section><center>B</center><dl><dt>C<dd>D</dl>E<br>F', 'A\nB\nC\nD\n\nE\nF'],
    [
      'boxes in a line',
      '<span style="display: inline-block">A</span><span style="display:inline-block">B</span><button>C</button><i>D</i>',
      'A B C D',
    ],
    ['entities', '<p>Fish &amp; chips &lt;3 &euro;5&nbsp;only</p>', 'Fish & chips <3 €5 only'],
    [
      'what is not shown',
      `<html><head><title>T</title><style>p{}</style></head><body><div style="display:none">Preview${filler}</div><script>x</script><p>Hi</p><div>${filler}</div><p>Bye</p></body></html>`,
      'Hi\n\nBye',
    ],
    ['joiners between letters and in emoji', '<p>a&zwnj;b 👩‍👧</p>', 'a\u200cb 👩‍👧'],
    ['preformatted text', '<pre>a\n   b</pre>', 'a\n   b'],
  ])('contains %s', async (_name, html, text) => {
    expect(await textOf(html)).toBe(text)
  })
})
