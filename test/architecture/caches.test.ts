import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** A cache: what it holds, and the tests that would fail if it returned old data, or that of another account. */
interface Cache {
  readonly holds: string
  /** A reason instead of a test: what is derived from the key alone cannot be old. */
  readonly fresh: Test | { readonly reason: string }
  readonly own: Test | { readonly reason: string }
}
type Test = readonly [file: string, title: string]

const twins: Test = ['graphql/twin-accounts', 'reads in %s only its own rows, unchanged']

/** All caches of `src`, by file. `page-store` has two. */
const caches: Readonly<Record<string, readonly Cache[]>> = {
  'src/account/admission/unknown-keys.ts': [
    {
      holds: 'hashes of keys that were valid once, which are looked up each time',
      fresh: { reason: 'It says nothing about the key of today.' },
      own: { reason: 'Nothing of an account is returned.' },
    },
  ],
  'src/kernel/work/absences.ts': [
    {
      holds: 'keys, pages and forms that do not exist, for five seconds',
      fresh: ['hostile/new-names', 'a page and the address of its funnel'],
      own: { reason: 'What does not exist belongs to no account.' },
    },
  ],
  'src/account/admission/admission.ts': [
    {
      holds: 'what a key or session may do, by the hash of its secret',
      fresh: ['account/keys', 'is rejected by other processes after it was disabled'],
      own: twins,
    },
  ],
  'src/events/feed/feed.ts': [
    {
      holds: 'events of the log, by position',
      fresh: ['graphql/subscriptions', 'read the rows again for an event that another subscription has read before'],
      own: ['graphql/subscriptions', 'returns no events of another account'],
    },
  ],
  'src/funnels/page/page-store.ts': [
    {
      holds: 'compiled pages, by address',
      fresh: ['funnels/pages', 'changes within a second if the notification was lost'],
      own: ['funnels/pages', 'is shown on the host of the account'],
    },
    {
      holds: 'errors of pages that cannot be compiled, with the version of the page',
      fresh: ['funnels/pages', 'changes immediately with its content'],
      own: ['funnels/pages', 'is shown on the host of the account'],
    },
  ],
  'src/kernel/work/refusal-pace.ts': [
    {
      holds: 'times by which the refusals of networks are paid off',
      fresh: [
        'hostile/refusal-pace',
        'sends 200 of a network at once and 50 a second after them, and each within five seconds',
      ],
      own: { reason: 'Nothing of an account is returned.' },
    },
  ],
  'src/graphql/documents/documents.ts': [
    {
      holds: 'parsed documents, and what is compiled from them, by their text',
      fresh: [
        'graphql/limits',
        'uses the variables of each request, even if the document was cached with cheaper ones',
      ],
      own: twins,
    },
  ],
  'src/mail/bounces/signed-senders.ts': [
    {
      holds: 'networks that sent a valid signature, for a day',
      fresh: { reason: 'A signature stays valid: it decides only how many bodies are read.' },
      own: { reason: 'Nothing of an account is returned.' },
    },
  ],
  'src/graphql/streams/event-results.ts': [
    {
      holds: 'results of subscriptions, by event, document, variables and scopes',
      fresh: ['graphql/subscriptions', 'read the rows again for an event that another subscription has read before'],
      own: [
        'graphql/subscriptions',
        'share one execution of the same document; subscribers with fewer scopes get their own',
      ],
    },
  ],
  'src/graphql/payloads.ts': [
    {
      holds: 'parsed documents of webhooks, by their text',
      fresh: { reason: 'A document with the same text is the same.' },
      own: ['events/webhook-payloads', 'reads what the key that set it can read'],
    },
  ],
  'src/graphql/documents/hashed-documents.ts': [
    {
      holds: 'texts of documents, by account and hash',
      fresh: ['graphql/persisted-queries', 'is rejected if the hash is that of another document'],
      own: ['graphql/persisted-queries', 'is known to its account only'],
    },
  ],
  'src/graphql/transports/public-introspection.ts': [
    {
      holds: 'results of introspection, by document and variables',
      fresh: ['graphql/introspection', 'applies the variables of each request'],
      own: { reason: 'The schema is public and the same for all accounts.' },
    },
  ],
  'src/mail/tracking/reaction-queue.ts': [
    {
      holds: 'counts of the reactions of a minute, by account, message and kind',
      fresh: { reason: 'A count is of one minute.' },
      own: { reason: 'The key begins with the account.' },
    },
  ],
  'src/mail/tracking/tracking.http.ts': [
    {
      holds: 'targets of links without merge fields for ten seconds, by their signed token',
      fresh: [
        'mail/opens-and-clicks',
        'redirects HEAD requests, scanners and deleted contacts without recording a click',
      ],
      own: { reason: 'A token belongs to one message of one account.' },
    },
  ],
  'src/mail/bounces/sns.ts': [
    {
      holds: 'certificates of Amazon, by their URL',
      fresh: { reason: 'Amazon gives a new certificate a new URL.' },
      own: { reason: 'They are public and the same for all accounts.' },
    },
  ],
  'src/mail/messages/email-templates.ts': [
    {
      holds: 'parsed e-mails, by account, id and version',
      fresh: ['mail/message-batches', 'renders the current body of the e-mail'],
      own: [
        'mail/message-batches',
        'renders the body of its own account, although another e-mail has the same id and version',
      ],
    },
  ],
}

describe('a cache', () => {
  it('is listed with the tests of what it returns', () => {
    const found = globSync('{src,rest-bridge}/**/*.ts', { exclude: ['**/generated/**', 'src/console/**'] })
      .map((file) => [file, readFileSync(file, 'utf8').split('new LRUCache').length - 1] as const)
      .filter(([, count]) => count > 0)
    const listed = Object.entries(caches).map(([file, all]) => [file, all.length])
    expect(found.sort()).toEqual(listed.sort())
  })

  it('has tests that exist', () => {
    const tests = Object.values(caches).flatMap((all) => all.flatMap(({ fresh, own }) => [fresh, own]))
    const missing = tests.filter((test) => {
      if ('reason' in test) return false
      const [file, title] = test
      return !readFileSync(`test/${file}.test.ts`, 'utf8').includes(`'${title}'`)
    })
    expect(missing).toEqual([])
  })
})
