type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

/**
 * Writes the smallest database that MaxMind's readers accept: one record for all IPv4 addresses with the same first
 * byte (MaxMind DB File Format Specification, version 2).
 */
export function mmdb(firstByte: number, data: Value): Buffer {
  const bits = Array.from({ length: 8 }, (_, place) => (firstByte >> (7 - place)) & 1)
  const nodes = bits.map((bit, place) => {
    // The last bit leads to the data, the others to the next node. All other branches are empty.
    const next = place === 7 ? 8 + 16 : place + 1
    return Buffer.concat((bit === 0 ? [next, 8] : [8, next]).map(record))
  })
  const metadata = {
    node_count: 8,
    record_size: 24,
    ip_version: 4,
    database_type: 'GeoLite2-City',
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    description: { en: 'of a test' },
  }
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([...nodes, Buffer.alloc(16), encoded(data), marker, encoded(metadata)])
}

function record(value: number): Buffer {
  return Buffer.from([value >> 16, (value >> 8) & 255, value & 255])
}

function encoded(value: Value): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from([(2 << 5) | bytes.length]), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([Buffer.from([(6 << 5) | 4]), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encoded)])
  const entries = Object.entries(value as Record<string, Value>)
  return Buffer.concat([
    Buffer.from([(7 << 5) | entries.length]),
    ...entries.flatMap(([key, each]) => [encoded(key), encoded(each)]),
  ])
}
