// Prints how well returned messages are read: node test/bench/bounces.ts <directory of messages with expected.json>
// The file maps names of messages to their recipients with a verdict: HARD, SOFT, HARD_OR_SOFT, COMPLAINT, OPT_OUT or NONE.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDsn } from '../../src/mail/bounces/dsn.ts'

interface Expected {
  readonly recipient: string
  readonly verdict: string
  readonly reason: string
}

const directory = process.argv[2]
if (directory === undefined) throw new Error('Name a directory of messages with their verdicts in expected.json.')
const expected: Record<string, Expected[]> = JSON.parse(readFileSync(join(directory, 'expected.json'), 'utf8'))

/** Numbers of right ones (or wrong ones, of the second line) and of all. */
const figures = {
  'dead addresses found HARD (aim 97 %)': [0, 0],
  'others judged HARD (aim 1 % at most)': [0, 0],
  'without a report part, right recipient and verdict (aim 85 %)': [0, 0],
  'complaints that name a recipient (aim 100 %)': [0, 0],
} satisfies Record<string, [number, number]> as Record<string, [number, number]>
const [dead, others, texts, complaints] = Object.values(figures) as [number, number][]

function add(figure: [number, number] | undefined, isCounted: boolean): void {
  if (!figure) return
  figure[0] += isCounted ? 1 : 0
  figure[1] += 1
}

function isRight(verdict: string, kind: string | undefined): boolean {
  if (verdict === 'NONE') return kind === undefined
  return verdict === 'HARD_OR_SOFT' ? kind === 'HARD' || kind === 'SOFT' : verdict === kind
}

for (const file of readdirSync(directory).filter((name) => name.endsWith('.eml'))) {
  const bytes = readFileSync(join(directory, file))
  const source = bytes.toString('latin1').toLowerCase()
  const hasPart = /message\/(?:global-)?delivery-status|feedback-report/.test(source)
  const { reports } = await parseDsn(bytes)
  for (const { recipient, verdict, reason } of expected[file] ?? []) {
    const report = reports.find(({ email }) => email.toLowerCase() === recipient.toLowerCase())
    const isFound = isRight(verdict, report?.kind)
    if (verdict === 'HARD') add(dead, isFound)
    else if (verdict !== 'HARD_OR_SOFT') add(others, report?.kind === 'HARD')
    if (!hasPart && verdict !== 'NONE') add(texts, isFound)
    if (verdict === 'COMPLAINT' && source.includes(recipient.toLowerCase())) add(complaints, isFound)
    if (!isFound) {
      const detail = report?.detail.replace(/\s+/g, ' ').slice(0, 120) ?? ''
      console.log(
        `${file}: ${recipient} is ${verdict} (${reason}), judged ${report?.kind ?? 'nothing'} ${report?.cause ?? ''} ${detail}`,
      )
    }
  }
}
for (const [name, [count, all]] of Object.entries(figures))
  console.log(`${name}: ${count} of ${all}, ${((100 * count) / all).toFixed(1)} %`)
