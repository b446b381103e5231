import { globSync, readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { inputFieldNames } from '../../.config/texts.ts'
import { actionWords, pathWords } from '../../src/console/settings/audit-words.ts'
import { fieldName, fieldTextId } from '../../src/console/texts/field-words.ts'
import { consoleModule } from './console-module.ts'

const { browserWords } =
  await consoleModule<typeof import('../../src/console/settings/browser-words.ts')>('settings/browser-words.ts')

const sources = globSync('src/console/**/*.{ts,tsx}')
  .filter((path) => !path.includes('/generated/'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** The files that contain a pattern. */
const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

describe('the words of the console', () => {
  it('name each field that a refusal can name, in no words of the program', () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
    const names = inputFieldNames(schema)
    expect(names.length).toBeGreaterThan(150)
    const ofProgram =
      /\b(ids?|html|csv|json|utm|url|ip|gdpr|enum|input|bucket|key|path|sms|cap|expected|updated at|idempotency|timezone|alt|pattern|redact|shipped|status as)\b|_/i
    const isAllowed = /^(UTM parameters|Domains without UTM parameters|IP address|Key of the request)$/
    expect(names.map(fieldName).filter((words) => ofProgram.test(words) && !isAllowed.test(words))).toEqual([])
    const catalogue = readFileSync('src/console/texts/en.po', 'utf8')
    expect(names.filter((name) => !catalogue.includes(`"${fieldTextId(name)}"`))).toEqual([])
    expect(['html', 'expectedUpdatedAt', 'addTagIds', 'smsText'].map(fieldName)).toEqual([
      'Content',
      'Last change',
      'Add tags',
      'Text of the message',
    ])
  })

  it('count one thing in the singular', () => {
    expect(filesWith(/format\.number\([^)]*\)\}? (visitors|contacts|points|opt-ins|rows|messages|people)\b/)).toEqual(
      [],
    )
  })

  it('name the changes of the audit log', () => {
    const names =
      readFileSync('schema.graphql', 'utf8')
        .split(/^type Mutation \{/m)[1]
        ?.split(/^\}/m)[0] ?? ''
    const actions = [...names.matchAll(/^ {2}(\w+)\(/gm)].map(([, name = '']) => name)
    expect(actions.length).toBeGreaterThan(100)
    const isWord =
      /^[A-Z][\w-]*( [a-z-]+)* (added|archived|cancelled|checked|completed|created|created or changed|changed|deleted|disabled|duplicated|ended|erased|exported|failed|invited|issued|left|merged|moved|no longer scheduled|paid|paused|published|recorded|refunded|removed|renewed|restarted|restored|resumed|saved|scheduled|sent|sent again|started|tagged|tested|together|unsubscribed|from a sequence|from a contact|to a contact|to a sequence)$/
    expect(actions.map(actionWords).filter((words) => !isWord.test(words))).toEqual([])
    expect(['userInvite', 'apiKeyCreate', 'userInvitationResend'].map(actionWords)).toEqual([
      'User invited',
      'API key created',
      'User invitation sent again',
    ])
    expect(['contact.email', 'sendToAll', 'questions.0.label'].map(pathWords)).toEqual([
      'contact: email',
      'send to all',
      'questions: label',
    ])
  })

  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140 on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
      'Edge 141 on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari 18 on iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari 18 on macOS',
    ],
    ['', 'Unknown browser'],
  ])('name the browser of a session: %s', (userAgent, words) => {
    expect(browserWords(userAgent)).toBe(words)
  })

  it('never ask with the dialog of the browser, and never take an unread list for an empty one', () => {
    expect(filesWith(/(?<![.\w])(?:window\.)?confirm\(/)).toEqual([])
    expect(
      filesWith(/(rows|entries|events|orders|invoices|submissions|keys|users|webhooks|domains)=\{[^}]*\?\? \[\]\}/),
    ).toEqual([])
  })
})
