/** A source of numbers that depends on its seed only. */
export interface Random {
  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

/** Creates a source of numbers from the parts of a seed. */
export function newRandom(...seed: readonly (string | number)[]): Random {
  let state = 2_166_136_261
  for (const character of seed.join(' ')) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => next() % Math.max(1, limit)
  return { below, pick: (items) => items[below(items.length)] as never }
}

/** Maximum number of bytes of an input. */
const maxBytes = 300_000

const pieces = [
  ...['\0', '\r\n', '\r', '\n\n', '"', "'", '\\', '{{', '}}', '<', '>', '%', '%00', '%zz', '&', ';', ',', '\t', '--'],
  ...[
    '\ufeff',
    '\u200b',
    '\u202e',
    '\u0301',
    '😀',
    'İ',
    'ß',
    'ﬁ',
    '\\ud800',
    '\\u0000',
    '=cmd|1',
    '__proto__',
    'constructor',
  ],
  ...['{{EMAIL}}', '{{FIELD.x:', '$1', '../', '//', 'javascript:', 'null', 'true', '[]', '{}', '[[', '...'],
]
const numbers = [
  ...['0', '-1', '-0', '1.5', '1e999', '2147483647', '2147483648', '-2147483649', '4294967296', '9007199254740993'],
  ...['9223372036854775808', '0x10', 'NaN', 'Infinity', '0000001', '1e-400', '99999999999999999999999999'],
]

type Mutation = (bytes: Buffer, random: Random, seeds: readonly Buffer[]) => Buffer

/** Replaces bytes from an index by others. */
const replace = (bytes: Buffer, from: number, count: number, by: Buffer) =>
  Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(from + count)])

const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const copy = Buffer.from(bytes)
    for (let times = 1 + random.below(8); times > 0 && copy.length > 0; times -= 1) {
      const at = random.below(copy.length)
      copy[at] = (copy[at] as number) ^ (1 << random.below(8))
    }
    return copy
  },
  function insertPiece(bytes, random) {
    return replace(bytes, random.below(bytes.length + 1), 0, Buffer.from(random.pick(pieces)))
  },
  function insertPieces(bytes, random) {
    const many = random.pick(pieces).repeat(1 + random.below(random.pick([10, 1_000, 20_000])))
    return replace(bytes, random.below(bytes.length + 1), 0, Buffer.from(many))
  },
  function repeatPart(bytes, random) {
    const from = random.below(bytes.length)
    const part = bytes.subarray(from, from + 1 + random.below(60))
    return replace(
      bytes,
      from,
      0,
      Buffer.concat(Array.from({ length: 1 + random.below(random.pick([3, 300])) }, () => part)),
    )
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1))
  },
  function removePart(bytes, random) {
    return replace(bytes, random.below(bytes.length), 1 + random.below(40), Buffer.alloc(0))
  },
  function replaceNumber(bytes, random) {
    const found = [...bytes.toString('latin1').matchAll(/\d+/g)]
    if (found.length === 0) return bytes
    const { index, 0: digits } = random.pick(found)
    return replace(bytes, index, digits.length, Buffer.from(random.pick(numbers)))
  },
  function splice(bytes, random, seeds) {
    const other = random.pick(seeds)
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ])
  },
  function swapLines(bytes, random) {
    const lines = bytes.toString('latin1').split('\n')
    const [one, two] = [random.below(lines.length), random.below(lines.length)]
    ;[lines[one], lines[two]] = [lines[two] as string, lines[one] as string]
    return Buffer.from(lines.join('\n'), 'latin1')
  },
]

/** Changes one of the seeds some times. */
export function mutate(seeds: readonly Buffer[], random: Random): Buffer {
  let bytes = random.pick(seeds)
  for (let times = 1 + random.below(5); times > 0; times -= 1) bytes = random.pick(mutations)(bytes, random, seeds)
  return bytes.subarray(0, maxBytes)
}

const values: readonly ((random: Random) => unknown)[] = [
  (random) =>
    random.pick([0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300, true, false, null, '', [], {}, [[]], [null]]),
  (random) => random.pick(pieces),
  (random) => random.pick(pieces).repeat(random.below(random.pick([20, 3_000]))),
  (random) => random.pick(numbers),
  (random) =>
    random.pick(['\ud800', 'a\0b', '2026-02-30', '2026-13-01T25:61:00Z', 'a@b', '@', 'é@é.é', 'x'.repeat(256)]),
  () => JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1},"toString":"x"}'),
  (random) => Array.from({ length: random.below(600) }, () => random.pick(pieces)),
  (random) =>
    JSON.parse(
      `${'['.repeat(random.below(300))}1${']'.repeat(300)}`.replace(
        /^(\[*)1(\]*)$/,
        (_all, open: string) => `${open}1${']'.repeat(open.length)}`,
      ),
    ),
]

/** Changes one value somewhere in data, keeping its structure, so that more of it is valid than with changed bytes. */
export function mutateData(data: unknown, random: Random): unknown {
  const copy: unknown = structuredClone(data)
  const places: { parent: Record<string, unknown>; key: string }[] = []
  const waiting: unknown[] = [copy]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue
    for (const [key, value] of Object.entries(node)) {
      places.push({ parent: node as Record<string, unknown>, key })
      waiting.push(value)
    }
  }
  for (let times = 1 + random.below(3); times > 0 && places.length > 0; times -= 1) {
    const { parent, key } = random.pick(places)
    const change = random.below(5)
    if (change === 0) delete parent[key]
    else if (change === 1) parent[random.pick(pieces)] = parent[key]
    else if (change === 2) parent[key] = Array.from({ length: random.below(40) }, () => structuredClone(parent[key]))
    else parent[key] = random.pick(values)(random)
  }
  return copy
}
