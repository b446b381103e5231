import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, it } from 'vitest'
import { type InstalledPackage, installPackage, run } from './installed-package.ts'

const program = `
import { createClient, iterate, readErrors, SubscriptionError, subscribe, verifyWebhook, WebhookVerificationError } from 'campanile/client'

const query = 'subscription ($after: String) { events(after: $after) { cursor name } }'
const subscription = subscribe<{ name: string }>({ url: '/graphql', key: 'k', query, onEvent: ({ event }) => event.name })
const cursor: string | undefined = subscription.cursor()
for await (const { event, errors } of iterate<{ name: string }>({ url: '/graphql', key: () => 'k', query, after: cursor })) {
  const name: string = event.name
  // @ts-expect-error an event has no such field
  console.log(name, errors[0]?.message, event.nothing)
}
const client = createClient({ url: '/graphql', key: async () => 'k', transport: 'sse' })
const second = client.subscribe<{ name: string }>({ query, variables: { types: [] }, onEvent: ({ event }) => event.name })
// @ts-expect-error the connection belongs to the client
client.iterate({ query, url: '/graphql' })
second.close()
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
    const paths = installed.files.filter((path) => !/^dist\/(links\/|transports\/)?[\w-]+\.(js|d\.ts)$/.test(path))
    expect(paths.sort()).toEqual(['LICENSE', 'README.md', 'package.json', 'webhook-vectors.json'])
    expect(installed.files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']))
  })

  it('has the version of the server, and installs nothing but the WebSocket client that the server is tested with', async () => {
    const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
    const manifest = await read(join(installed.folder, 'node_modules/campanile/package.json'))
    const server = await read('package.json')
    expect(manifest.version).toBe(server.version)
    expect(manifest.dependencies).toEqual({ 'graphql-ws': `^${server.dependencies['graphql-ws']}` })
    const major = (name: string) => `^${server.devDependencies[name].split('.')[0]}.0.0`
    const links = ['@apollo/client', '@urql/core']
    expect(manifest.peerDependencies).toEqual(Object.fromEntries(links.map((name) => [name, major(name)])))
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(links)
  })

  it.each([
    ['client', 8_000],
    ['client/apollo', 1_000],
    ['client/urql', 1_000],
  ])('has at most the promised size as a bundle, minified and compressed: %s, %i bytes', async (name, bytes) => {
    const input = await installed.write('bundled.js', `export * from 'campanile/${name}'`)
    const bundle = await rolldown({ input, platform: 'browser', external: [/^@(apollo|urql)\//] })
    const { output } = await bundle.generate({ minify: true })
    const size = gzipSync(output[0].code).length
    expect(size).toBeGreaterThan(150)
    expect(size).toBeLessThanOrEqual(bytes)
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
      [
        ...['SubscriptionError', 'WebhookVerificationError', 'createClient'],
        ...['iterate', 'readErrors', 'subscribe', 'verifyWebhook'],
      ],
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
      expect(await installed.check(['user.ts'], more)).toBe('')
    },
    compileTimeoutMs,
  )
})
