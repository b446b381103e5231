// node .ci/production.ts    carries out the steps of the Dockerfile without Docker, starts what they make with the embedded
//                           database and with an external one, and asks it a first query over REST and GraphQL. Exits 1 when
//                           anything fails. Needs a checkout after `npm ci`, and the Node that it runs on.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbedded } from '../src/db/embedded/embedded.ts'
import { newLog } from '../src/kernel/telemetry/log.ts'

const folder = mkdtempSync(join(tmpdir(), 'campanile-production-'))
const path = `${dirname(process.execPath)}:${process.env['PATH']}`
const running = new Set<ChildProcess>()

interface Image {
  readonly folder: string
  command: string[]
  health: string[]
  environment: Record<string, string>
}

try {
  const image = build(readFileSync('Dockerfile', 'utf8'))
  const size = (part: string) =>
    execFileSync('du', ['-sm', join(image.folder, part)])
      .toString()
      .split('\t')[0]
  console.log(`the image adds ${size('.')} MB to Node: node_modules ${size('node_modules')}, dist ${size('dist')}`)
  await serve('the embedded database', image, { DATA_DIR: join(folder, 'data') })
  const embedded = await startEmbedded(join(folder, 'external'), newLog('warn'))
  try {
    const env = { DATABASE_URL: embedded.url, SECRET: 'only for this check' }
    await serve('an external database', image, { ...env, DATA_DIR: join(folder, 'unused') })
  } finally {
    await embedded.stop()
  }
} finally {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

/** Builds each stage in a folder of its own and returns the last one. */
function build(dockerfile: string): Image {
  const stages = new Map<string, Image>()
  let stage: Image = { folder, command: [], health: [], environment: {} }
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const [, instruction = '', given = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    const words = given.split(/\s+/)
    if (instruction === 'FROM') {
      stage = { folder: join(folder, `stage-${stages.size}`), command: [], health: [], environment: {} }
      mkdirSync(stage.folder)
      stages.set(words[2] ?? 'the image', stage)
    } else if (instruction === 'COPY') copy(words, stage, stages)
    else if (instruction === 'RUN') run(given, stage)
    else if (instruction === 'ENV') stage.environment = Object.fromEntries(words.map((word) => word.split('=')))
    else if (instruction === 'HEALTHCHECK') stage.health = JSON.parse(given.slice(given.indexOf('[')))
    else if (instruction === 'CMD') stage.command = JSON.parse(given)
    else if (!['WORKDIR', 'USER', 'VOLUME', 'EXPOSE'].includes(instruction)) throw new Error(`Unknown line: ${line}`)
  }
  return stage
}

/** From another stage, or from what is in the repository: a file that is not committed is not copied. */
function copy(words: string[], { folder: to }: Image, stages: Map<string, Image>): void {
  const from = /^--from=(.*)$/.exec(words[0] ?? '')?.[1]
  const sources = words.slice(from === undefined ? 0 : 1, -1)
  const target = join(to, words.at(-1) ?? '.')
  for (const source of sources) {
    const place = sources.length > 1 || target.endsWith('/') ? join(target, basename(source)) : target
    if (from !== undefined) {
      const found = realpathSync(join(stages.get(from)?.folder ?? '', source.replace('/app/', '')))
      cpSync(found, place, { recursive: true, verbatimSymlinks: true })
      continue
    }
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', source]).toString()
    if (files === '') throw new Error(`COPY ${source}: there is no such file`)
    for (const file of files.trim().split('\n'))
      cpSync(file, file === source ? place : join(place, file.slice(source.length)))
  }
}

function run(command: string, { folder: cwd }: Image): void {
  console.log(`RUN ${command}`)
  // The checkout was installed just so.
  if (command === 'npm ci --ignore-scripts') symlinkSync(realpathSync('node_modules'), join(cwd, 'node_modules'))
  // Users and folders outside are the image's alone.
  else if (!command.includes('/data'))
    execFileSync('/bin/sh', ['-c', command], { cwd, stdio: 'inherit', env: { ...process.env, PATH: path } })
}

/** Starts the image, opens an account with the command line, asks the first query of both kinds, and stops it. */
async function serve(name: string, image: Image, given: Record<string, string>): Promise<void> {
  const env = { ...image.environment, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', PATH: path, ...given }
  const began = performance.now()
  const child = program(image.command, image, env)
  const address = (await firstLine(child)).replace(/^ready /, '')
  const milliseconds = Math.round(performance.now() - began)
  const port = new URL(address).port
  execFileSync(image.health[0] as string, image.health.slice(1), { env: { ...env, PORT: port } })

  const created = [
    'node',
    'bin/run.js',
    'cli',
    'account',
    'create',
    '--name',
    'A',
    '--email',
    'a@example.com',
    '--json',
  ]
  const cli = program([...created, '--plan', 'pro'], image, env)
  const { key } = JSON.parse(await firstLine(cli))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = async (where: string, body: object) => {
    const answer = await fetch(`${address}${where}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, unknown>
  }
  const rest = await ask('/v1/contact', { email: 'ada@example.com' })
  const graph = await ask('/graphql', { query: '{ contacts(first: 1) { nodes { email } } }' })
  const expected = { contacts: { nodes: [{ email: 'ada@example.com' }] } }
  if (rest['success'] !== true || JSON.stringify(graph['data']) !== JSON.stringify(expected))
    throw new Error(`${name}: ${JSON.stringify({ rest, graph })}`)
  const page = await (await fetch(`${address}/console`)).text()
  const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1]
  const asset = script === undefined ? undefined : await fetch(new URL(script, address))
  if (!asset?.ok) throw new Error(`${name}: the console is not served: ${page.slice(0, 500)}`)
  const memory = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${name}: SIGTERM ended it with ${code}`)
  console.log(
    `${name}: ready in ${milliseconds} ms, ${Math.round(Number(memory) / 1024)} MB of memory after the first queries`,
  )
}

function program([file = '', ...args]: string[], { folder: cwd }: Image, env: Record<string, string>): ChildProcess {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) return line
  throw new Error('The program ended without a line.')
}
