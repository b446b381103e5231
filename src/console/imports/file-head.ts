/** The columns of a CSV file, with the values of its first row. */
export interface FileColumn {
  readonly name: string
  readonly sample: string
}

/** The part of a file that is read to show its columns, in bytes. */
const headBytes = 256 * 1024

const delimiters = [',', ';', '\t']

/** Reads the header and the first row of a CSV file. The server reads the file itself, and reports what is wrong with it. */
export async function readFileHead(file: File): Promise<FileColumn[]> {
  const text = (await file.slice(0, headBytes).text()).replace(/^\uFEFF/, '')
  const delimiter = findDelimiter(text)
  const [header = [], first = []] = readRows(text, delimiter, 2)
  return header.map((name, index) => ({ name: name.trim(), sample: first[index] ?? '' }))
}

/** Returns the delimiter that occurs most often in the header outside of quotes, as the server does. */
function findDelimiter(text: string): string {
  const counts = new Map(delimiters.map((sign) => [sign, 0]))
  let isQuoted = false
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '\n' || sign === '\r') break
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

/** Reads the first rows that are not empty. */
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
    } else if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) add(sign)
    else if (sign === delimiter) row.push('')
    else if (sign === '\n' || sign === '\r') {
      if (row.some((cell) => cell !== '')) rows.push(row)
      row = ['']
    } else add(sign)
  }
  if (rows.length < count && row.some((cell) => cell !== '')) rows.push(row)
  return rows
}
