import { page as pageWith } from '../funnels/documents.ts'
import {
  buyer,
  csv,
  describeContent,
  elements,
  email,
  filled,
  html,
  invoice,
  most,
  page,
  previews,
  report,
  stored,
  titles,
  upload,
} from './content.ts'

describeContent(
  [
    email('lists in lists', () => '<ul><li>'.repeat(112_500)),
    email('tables in tables', () => filled('<table><tr><td>', most)),
    email('end tags without a start', () => `${'<b>'.repeat(100_000)}${'</x>'.repeat(100_000)}`),
    email('half a million elements', () => filled('<hr>', most)),
    email('a million attributes', () => `<p ${filled('a=1 ', most)}>x</p>`),
    email('one giant attribute', () => `<a href="https://example.com/${filled('&amp;', most)}">x</a>`),
    email('nothing but entities', () => filled('&amp;&#1234;&CounterClockwiseContourIntegra', most)),
    email('styles, drawings and formulas in each other', () => filled('<svg><math><style>', most)),
    email('comments that do not end', () => filled('<!--<!-- -', most)),
    email('rules of CSS', () => `<style>${filled('a{b:c}@media{', most)}`),
    email('a picture in its own address', () => `<img src="data:image/png;base64,${filled('A', most)}">`),
    email('100,000 merge fields', () => filled('{{EMAIL}}', most)),
    email('braces in braces', () => filled('{{{{{{', most)),
    email('links without end', () => filled('<a href="https://example.com/1">x</a>', most)),
    email('a rule across, which is long as text', () => filled('<hr>', 190_000)),
    stored('lists in lists', () => '<ul><li>'.repeat(112_500)),
    stored('100,000 merge fields', () => filled('{{EMAIL}}', most)),
    page('objects in objects, as text', () => `${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}`),
    page('a hundred thousand sections', () => ({ version: 1, root: Array.from({ length: 100_000 }, () => ({})) })),
    page('HTML: bold in bold', () => html(filled('<b>', 100_000))),
    page('HTML: paragraphs', () => html(filled('<p>a</p>', 79_000))),
    page('HTML: styles', () => html(filled(`<p style="${filled('width:1px;', 1_900)}">a`, 100_000))),
    page('2,000 countdowns', () =>
      elements(...Array.from({ length: 1_990 }, (_, at) => ({ type: 'countdown', minutes: at }))),
    ),
    previews('200 of a page of 4,000 merge fields', 2, 'preview(content: $content)', () => pageWith(...titles(20))),
    previews('200 of a page of 4,000 merge fields that is stored', 2, 'preview'),
    previews('400 of a form', 4, 'form { preview }'),
    page('100,000 merge fields', () => elements(...titles(500))),
    page('text of line ends', () =>
      elements(...Array.from({ length: 5 }, () => ({ type: 'text', text: filled('a\n', 99_000) }))),
    ),
    csv('one line of 900 kB', () => `email\n"${filled('x', most)}`),
    csv('100,000 columns', () => `email${',x'.repeat(100_000)}\n${','.repeat(100_000)}`),
    csv('rows of commas', () => `email,tags\n${filled(`a@example.com,"${filled(',"', 50_000)}\n`, most)}`),
    csv('999 columns of tags', () => {
      const tags = Array.from({ length: 999 }, (_, at) => `${filled(`${at};`, 850)}`)
      return `email${',tags'.repeat(999)}\na@example.com,${tags.join()}`
    }),
    csv('a header of quotes', () => filled('"""x', most)),
    upload('one line of 50 MB', () => `email\n${filled('x', 50_000_000)}`),
    upload('8 MB of commas', () => `email,tags\n${filled(',', 8_000_000)}`),
    invoice('10,000 lines of 10 kB', () => ({
      customer: buyer,
      lines: Array.from({ length: 90 }, () => ({ name: filled('W', 10_000), unitPrice: '1' })),
    })),
    invoice('lines of line ends', () => ({
      customer: buyer,
      lines: Array.from({ length: 500 }, () => ({ name: filled('W\n', 254), unitPrice: '1', vatRate: '20' })),
    })),
    report('100,000 headers', () => `${filled('a: b\r\n', 600_000)}\r\nx`),
    report(
      '100,000 parts',
      () => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${filled('--b\r\n\r\nx\r\n', 1_000_000)}--b--`,
    ),
    report('HTML of 9 MB', () => `Content-Type: text/html\r\n\r\n${filled('<ul><li>', 9_000_000)}`),
    {
      name: 'ids of a million digits',
      send: (server) =>
        server.ask('/v1/contact', {
          method: 'POST',
          body: { email: 'digits@example.com', tag_ids: '9'.repeat(900_000) },
        }),
    },
    {
      name: 'an address of 900 kB',
      send: (server) =>
        server.ask('/v1/contact', { method: 'POST', body: { email: `${filled('a.', most)}@${filled('a.', 1_000)}!` } }),
    },
  ],
  100,
)
