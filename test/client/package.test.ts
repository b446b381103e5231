import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type InstalledPackage, installPackage, run } from './installed-package.ts'

const program = `
import { iterate, readErrors, SubscriptionError, subscribe, verifyWebhook, WebhookVerificationError } from 'campanile/client'

const query = 'subscription ($after: String) { events(after: $after) { cursor name } }'
const subscription = subscribe<{ name: string }>({ url: '/graphql', key: 'k', query, onEvent: ({ event }) => event.name })
const cursor: string | undefined = subscription.cursor()
for await (const { event, errors } of iterate<{ name: string }>({ url: '/graphql', key: () => 'k', query, after: cursor })) {
  const name: string = event.name
  // @ts-expect-error an event has no such field
  console.log(name, errors[0]?.message, event.nothing)
}
for (const { code, details, retryAfterMs } of readErrors({ errors: [] })) {
  const wait: number = retryAfterMs ?? 0
  console.log(code === 'VALIDATION_ERROR', details['input.email']?.[0]?.length, wait)
}
const message = await verifyWebhook('', new Headers(), ['whsec_'], { toleranceSeconds: 1 })
if (message.type === 'contact.tag_added') {
  const tag: number = message.data.tag_id
  // @ts-expect-error the data of this event contains only ids
  console.log(tag, message.data.email)
}
// @ts-expect-error there is no such event
if (message.type === 'contact.vanished') throw new WebhookVerificationError('BAD_BODY', new SubscriptionError('a', 'b').code)
`

/** The compiler is slow on a busy machine. */
const compileTimeoutMs = 120_000

describe('the package', () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
  }, compileTimeoutMs)

  it('contains only the client, its test vectors and its documentation', async () => {
    const paths = installed.files.filter((path) => !/^dist\/[\w-]+\.(js|d\.ts)$/.test(path))
    expect(paths.sort()).toEqual(['LICENSE', 'README.md', 'package.json', 'webhook-vectors.json'])
    expect(installed.files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']))
  })

  it('has the version of the server, and installs nothing but the WebSocket client that the server is tested with', async () => {
    const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
    const manifest = await read(join(installed.folder, 'node_modules/campanile/package.json'))
    const server = await read('package.json')
    expect(manifest.version).toBe(server.version)
    expect(manifest.dependencies).toEqual({ 'graphql-ws': `^${server.dependencies['graphql-ws']}` })
  })

  it('is smaller than 40,000 bytes', async () => {
    const scripts = installed.files.filter((path) => path.endsWith('.js'))
    const sizes = scripts.map(async (path) => (await stat(join(installed.folder, 'node_modules/campanile', path))).size)
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size)).toBeLessThan(40_000)
  })

  it('exports only the client and the test vectors', async () => {
    const script = await installed.write(
      'names.js',
      `import * as client from 'campanile/client'
       import vectors from 'campanile/client/webhook-vectors.json' with { type: 'json' }
       const server = await import('campanile/src/app.ts').catch(({ code }) => code)
       console.log(JSON.stringify([Object.keys(client), vectors.accepted.length, server]))`,
    )
    const { stdout } = await run(process.execPath, [script])
    const vectors = JSON.parse(await readFile('src/client/webhook-vectors.json', 'utf8'))
    expect(JSON.parse(stdout)).toEqual([
      ['SubscriptionError', 'WebhookVerificationError', 'iterate', 'readErrors', 'subscribe', 'verifyWebhook'],
      vectors.accepted.length,
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    ])
  })

  it.each([
    [
      'a browser program that is bundled',
      { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
    ],
    ['a Node program', { module: 'nodenext', lib: ['es2022'], types: ['node'] }],
  ])(
    'has types for %s',
    async (_name, more) => {
      await installed.write('user.ts', program)
      const compilerOptions = {
        target: 'es2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        ...more,
      }
      const config = JSON.stringify({ compilerOptions, files: ['user.ts'] })
      await installed.write('tsconfig.json', config)
      const { stdout } = await run('node_modules/.bin/tsc', ['-p', installed.folder]).catch(({ stdout }) => ({
        stdout,
      }))
      expect(stdout).toBe('')
    },
    compileTimeoutMs,
  )
})
