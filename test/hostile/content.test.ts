import {
  alternatives,
  attacked,
  buyer,
  csv,
  describeContent,
  email,
  filled,
  graphql,
  html,
  invoice,
  most,
  page,
  previews,
  report,
  stored,
  upload,
} from './content.ts'

describeContent(
  [
    email('tags that are never closed', () => filled('<b><i><a href="https://example.com/">', most)),
    email('a merge field of blanks', () => `{{FIELD.${' '.repeat(most)}`),
    email('addresses in braces', () => `https://${filled('{{a', most)}`),
    {
      name: 'page: objects in objects',
      send: (server) => {
        const query =
          'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }'
        const deep = `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`
        const body = `{"query":"${query}","variables":{"input":{"id":"${attacked.step}","content":${deep}}}}`
        return server.ask('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      },
    },
    stored('tags that are never closed', () => filled('<b><i><a href="https://example.com/">', most)),
    page('half a million numbers', () => ({ version: 1, root: [], x: Array.from({ length: 400_000 }, () => 1) })),
    page('HTML: lists in lists', () => html(filled('<ul><li>', 100_000))),
    csv('a quote that is never closed', () => `email\na@example.com\n"${filled('a""', most)}`),
    csv('999 columns of other tags', () => {
      const tags = Array.from({ length: 999 }, (_, at) =>
        Array.from({ length: 100 }, (_, each) => `${at}t${each}`).join(';'),
      )
      return `email${',tags'.repeat(999)}\na@example.com,${tags.join()}`.slice(0, most)
    }),
    upload('ten rows of 1.9 million commas', () => `email\n${`${','.repeat(1_900_000)}x\n`.repeat(10)}`),
    upload(
      'rows with tags of blanks',
      () => `email,tags\n${filled(`a@example.com,"${filled(' ;"" ', 100_000)}"\n`, 3_000_000)}`,
    ),
    invoice('500 lines of 255 characters', () => ({
      customer: buyer,
      lines: Array.from({ length: 500 }, () => ({ name: filled('Wx ', 254), unitPrice: '1', vatRate: '20' })),
    })),
    report('parts in parts', () => `${alternatives(20_000)}x`),
    report('groups of addresses', () => `To: ${filled('a:', 100_000)}\r\n\r\nx`),
    {
      name: 'one-click unsubscribing with blanks',
      send: (server) =>
        server.ask('/u/AQ', {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: `List-Unsubscribe${' '.repeat(60_000)}x`,
        }),
    },
    {
      name: 'a time of blanks',
      send: (server) => server.ask(`/v1/form-submissions?form_id=1&updated_after=2026-01-01T${'+'.repeat(14_000)}x`),
    },
    {
      name: 'a value for a custom field of 900 kB',
      send: (server) =>
        graphql(server, 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
          contact: { id: attacked.contact },
          firstName: filled('\ud83d\ude00', most),
        }),
    },
    previews('100 of a page of 4,000 merge fields that is stored', 5, 'preview'),
  ],
  20,
)
