import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type InstalledPackage, installPackage, run } from '../client/installed-package.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'

const page = await readFile('src/docs/client.md', 'utf8')
const blocks = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? '')
const [following = '', looping = '', sharing = '', receiving = '', fetching = '', reading = ''] = blocks

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body =
  '{"id":"msg_1","type":"contact.tag_added","timestamp":"2026-11-21T04:00:00.000Z","data":{"contact_id":1,"tag_id":2}}'

function signed() {
  const now = new Date()
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  }
}

/** Time limit of the compiler on a busy machine, in milliseconds. */
const compiling = 120_000

describe('client.md', () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
  }, compiling)

  /** Runs a program of the page with the packed client and returns the lines that it prints. */
  async function start(name: string, text: string, env: Record<string, string>) {
    const script = await installed.write(name, text)
    const child = spawn(process.execPath, [script], {
      cwd: installed.folder,
      env: { PATH: process.env['PATH'], ...env },
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const end = once(child, 'exit')
    const stop = async () => {
      child.kill()
      await end
    }
    return {
      end,
      stop,
      /** Waits until this number of lines was printed. */
      lines: async (count: number) => {
        await until(() => stdout.split('\n').length > count || child.exitCode !== null)
        expect(stderr.replaceAll(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, '')).toBe('')
        return stdout.trimEnd().split('\n')
      },
    }
  }

  const at = (world: World, text: string) => text.replaceAll('http://127.0.0.1:4000', world.server.url)

  it(
    'contains programs that type-check',
    async () => {
      expect(blocks).toHaveLength(6)
      const files = await Promise.all(blocks.map((text, place) => installed.write(`printed-${place}.ts`, text)))
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2022'],
        module: 'nodenext',
        strict: true,
        noPropertyAccessFromIndexSignature: true,
        noEmit: true,
        types: ['node'],
      }
      await installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
      const { stdout } = await run('node_modules/.bin/tsc', ['-p', installed.folder]).catch(({ stdout }) => ({
        stdout,
      }))
      expect(stdout).toBe('')
    },
    compiling,
  )

  it('contains a subscriber that resumes at its cursor', async () => {
    const world = await newWorld()
    await installed.write('cursor', (await world.run('{ eventCursor }')).eventCursor)
    const program = at(world, following)
    const env = { KEY: world.mainKey }
    await world.contact({ email: 'ada@example.com' })
    const first = await start('following.ts', program, env)
    expect(await first.lines(1)).toEqual(['contact.created ada@example.com'])
    await world.contact({ email: 'grace@example.com' })
    expect((await first.lines(2))[1]).toBe('contact.created grace@example.com')
    const { eventCursor } = await world.run('{ eventCursor }')
    await until(async () => (await readFile(join(installed.folder, 'cursor'), 'utf8')) === eventCursor)
    await first.stop()

    await world.contact({ email: 'joan@example.com' })
    const again = await start('following.ts', program, env)
    expect(await again.lines(1)).toEqual(['contact.created joan@example.com'])
    await again.stop()
  })

  it.each(['sse', 'ws'])(
    'contains a loop that can be left at an event and then blocks nothing, over %s',
    async (transport) => {
      const world = await newWorld()
      const text = at(world, looping).replace(`transport: 'sse'`, `transport: '${transport}'`)
      const program = await start('looping.ts', text, { KEY: world.mainKey })
      await program.lines(1)
      const { id } = await world.contact()
      await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', { id })
      expect((await program.lines(3)).slice(1)).toEqual(['contact.created', 'contact.deleted'])
      expect(await program.end).toEqual([0, null])
    },
  )

  it('contains two subscriptions over one socket', async () => {
    const world = await newWorld()
    const program = await start('sharing.ts', at(world, sharing), { KEY: world.mainKey })
    await program.lines(1)
    await world.contact()
    expect((await program.lines(2))[1]).toBe('contacts: contact.created')
    await world.tag()
    expect((await program.lines(3))[2]).toBe('tags: tag.created')
    await program.stop()
  })

  it('contains a reader of errors', async () => {
    const world = await newWorld()
    const program = await start('reading.ts', at(world, reading), { KEY: world.mainKey })
    expect(await program.lines(1)).toEqual(['email must be a valid e-mail address'])
  })

  it('contains a receiver that accepts only signed messages', async () => {
    const listening = receiving.replace('listen(8080)', 'listen(0, () => console.log((server.address() as any).port))')
    expect(listening).not.toBe(receiving)
    const program = await start('receiving.ts', listening, { WEBHOOK_SECRET: secret })
    const [port] = await program.lines(1)
    const post = (text: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers })
    expect((await post(body, signed())).status).toBe(204)
    expect(await program.lines(2)).toEqual([port, 'contact 1: 2'])
    expect((await post(body.replace('2}', '3}'), signed())).status).toBe(400)
    expect((await post(body, {})).status).toBe(400)
    await program.stop()
  })

  it('contains a handler for the Fetch API with two secrets', async () => {
    vi.stubEnv('WEBHOOK_SECRETS', `whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD ${secret}`)
    const printed = vi.spyOn(console, 'log').mockReturnValue()
    const script = await installed.write('fetching.ts', fetching)
    const { default: handler } = await import(/* @vite-ignore */ pathToFileURL(script).href)
    const ask = (text: string) =>
      handler.fetch(new Request('https://example.com/', { method: 'POST', body: text, headers: signed() }))
    expect((await ask(body)).status).toBe(204)
    expect(printed.mock.calls).toEqual([['msg_1', 'contact.tag_added']])
    expect((await ask(`${body} `)).status).toBe(400)
  })
})
