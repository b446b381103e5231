/** The columns of a CSV file, with the values of its first row. */
export interface FileColumn {
  /** The first column is 1. */
  readonly position: number
  readonly name: string
  readonly sample: string
}

/** The part of a file that is read to show its columns, in bytes. */
const headBytes = 256 * 1024

const delimiters = [',', ';', '\t']

/** Byte order marks, and the encodings that they determine. */
const marks = [
  { label: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { label: 'utf-16le', bytes: [0xff, 0xfe] },
  { label: 'utf-16be', bytes: [0xfe, 0xff] },
]

/**
 * Reads the header and the first row of a CSV file. `encoding` is the one that is chosen in the form, if any. The server
 * reads the file itself, and reports what is wrong with it.
 */
export async function readFileHead(file: File, encoding: string | null): Promise<FileColumn[]> {
  const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const { delimiter, text } = findDelimiter(decode(bytes, encoding).replace(/^\s*[\r\n]/, ''))
  const [header = [], first = []] = readRows(text, delimiter, 2)
  return header.map((name, index) => ({ position: index + 1, name: name.trim(), sample: first[index] ?? '' }))
}

/** Decodes a text as the server does: by its byte order mark, the encoding that was chosen, or else as UTF-8 if it is valid. */
function decode(bytes: Uint8Array, encoding: string | null): string {
  const marked = marks.find((mark) => mark.bytes.every((byte, place) => bytes[place] === byte))?.label
  const chosen = marked ?? encoding?.toLowerCase().replaceAll('_', '-')
  if (chosen) return new TextDecoder(chosen).decode(bytes)
  try {
    // The last character can be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * Returns the delimiter that a first line such as `sep=;` declares, or else the one that occurs most often in the header
 * outside of quotes, and the text from the header on.
 */
function findDelimiter(text: string): { delimiter: string; text: string } {
  const [line, declared] = /^"?sep=([^\r\n"])"?[\t ,;]*(?:\r\n|\n|\r)/i.exec(text) ?? []
  if (line !== undefined && declared !== undefined) return { delimiter: declared, text: text.slice(line.length) }
  const counts = new Map(delimiters.map((sign) => [sign, 0]))
  let isQuoted = false
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '\n' || sign === '\r') break
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  return { delimiter: [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0], text }
}

/** Reads the first rows that are not empty. Only a quote at the beginning of a cell opens a quoted cell. */
function readRows(text: string, delimiter: string, count: number): string[][] {
  const rows: string[][] = []
  let row = ['']
  let isQuoted = false
  const add = (sign: string) => {
    row[row.length - 1] += sign
  }
  for (let at = 0; at < text.length && rows.length < count; at += 1) {
    const sign = text[at] as string
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      add('"')
      at += 1
    } else if (isQuoted && sign === '"') isQuoted = false
    else if (isQuoted) add(sign)
    else if (sign === '"' && row.at(-1) === '') isQuoted = true
    else if (sign === delimiter) row.push('')
    else if (sign === '\n' || sign === '\r') {
      if (row.some((cell) => cell.trim() !== '')) rows.push(row)
      row = ['']
    } else add(sign)
  }
  if (rows.length < count && row.some((cell) => cell !== '')) rows.push(row)
  return rows
}
