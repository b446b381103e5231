import { beforeAll, describe, expect, it } from 'vitest'
import { filled } from './content.ts'
import { type Cost, costOfFile } from './files.ts'

const megabytes = 20

/** A run that is above a limit is repeated with the ordinary rows, because the garbage collector and other programs meet some. */
const runs = 5

const size = megabytes * 1_000_000
const header = 'email,tags\n'

function ordinaryRows(): Buffer {
  const rows = ['email,first_name,last_name,company,city,tags\n']
  for (let [number, length] = [0, 0]; length < size; number += 1) {
    const row = `person${number}@example.com,Ada,Lovelace ${number},"Acme, Ltd",Orléans,vip;new\n`
    length += row.length
    rows.push(row)
  }
  return Buffer.from(rows.join(''))
}

/** Rows of about the largest size, of a piece of text. */
const long = (start: string, piece: string, end = '\n') => `${start}${filled(piece, 1_900_000)}${end}`
const columns = (names: string) => `email${filled(`,${names}`, 999 * (names.length + 1))}\n`

/** Files by name: a header, and what is repeated up to the size. */
export const hostile: Readonly<Record<string, readonly [header: string, rows: string]>> = {
  'commas up to a value': ['email\n', long('', ',', 'x\n')],
  'commas up to the end of the row': ['email\n', long('a@example.com', ',')],
  'commas in a single row': [header, ','],
  'a thousand columns of commas': [columns('x'), `a@example.com${','.repeat(999)}\n`],
  'a thousand columns of short cells': [columns('x'), `a@example.com${',x'.repeat(999)}\n`],
  'a thousand columns of tags': [columns('tags'), `a@example.com${',x'.repeat(999)}\n`],
  'columns of quotes': [columns('x'), `a@example.com${',""'.repeat(999)}\n`],
  'surplus quoted cells': [header, `a@example.com,x${',"y"'.repeat(400_000)}\n`],
  'quotes only': [header, '"'],
  'quotes in a quoted cell': [header, long('a@example.com,"', '""', '"\n')],
  'a quote that is never closed': [header, long('a@example.com,x\n"', 'a""')],
  'a quote in each row that is never closed': [header, 'a@example.com,"x\n'],
  'a quote before each line end': [header, 'x@y,"\n"" ,"z\n'],
  'quotes before commas': [header, `a@example.com,"${',"'.repeat(25_000)}\n`],
  'quoted line ends': [header, `"${'\n'.repeat(50_000)}x"\n`],
  'rows in a quoted cell': [header, `"${'a@b,c\n'.repeat(50_000)}"\n`],
  'blanks before text after a quote': [header, `"a"${' '.repeat(100_000)}x\n`],
  'blanks only': [header, ' '],
  'blanks of other scripts': [header, '\u00a0\u2003\n'],
  'rows of blanks': [header, ' \n'],
  'tags of blanks': [header, long('a@example.com,"', ' ;"" ', '"\n')],
  'short cells with tags of blanks': [header, `a@example.com,"${filled(' ;"" ', 100)}"\n`],
  'tags that cannot be stored': [header, long('a@example.com,', '\0;')],
  'tags that are too long': [header, long('a@example.com,', `${'x'.repeat(256)};`)],
  'tags of quotes': [header, long('a@example.com,"', '""""";', '"\n')],
  'semicolons in a cell': [header, long('a@example.com,', ';')],
  'semicolons in a single row': [header, ';'],
  'tabs between cells': ['email\ttags\n', '\t'],
  'tabs in a single row': [header, '\t'],
  'long cells': [header, long('a@example.com,', 'x')],
  'long cells in another script': [header, long('a@example.com,', 'é').slice(0, 900_000)],
  'a single cell': [header, 'x'],
  'addresses without end': ['email\n', long('', 'a.')],
  'tiny rows': [header, 'x\n'],
  'rows of a comma': [header, ',\n'],
  'rows of empty quoted cells': [header, '"",""\n'],
  'line feeds only': [header, '\n'],
  'carriage returns only': [header, '\r'],
  'both line ends only': [header, '\r\n'],
  'rows that end with a carriage return': ['email,tags\r', 'person1@example.com,Ada\r'],
  'a header of commas': ['', ','],
  'a header of quotes': ['', '"'],
  'a header of line ends': ['', '\r'],
  'a declared separator, and blanks': ['sep=;', ' '],
}

const least = (...costs: readonly Cost[]): Cost => ({
  total: Math.min(...costs.map(({ total }) => total)),
  longestTurn: Math.min(...costs.map(({ longestTurn }) => longestTurn)),
})

/** A turn is a slice of time and one step of work. A step may take as long as the reading of 500 kB of ordinary rows. */
const limitOf = ({ total, longestTurn }: Cost): Cost => ({ total: 2 * total, longestTurn: longestTurn + total / 40 })

/** Compares the cost of hostile files with that of ordinary rows of the same size. */
export function describeFiles(names: readonly string[]): void {
  describe('the cost of a file with hostile rows', () => {
    const rows = ordinaryRows()
    let ordinary: Cost
    beforeAll(async () => {
      ordinary = least(await costOfFile(rows), await costOfFile(rows), await costOfFile(rows))
    })

    it.each(names)('%s: at most twice that of ordinary rows, in short turns', async (name) => {
      const [first, hostileRows] = hostile[name] as readonly [string, string]
      const file = Buffer.from(`${first}${filled(hostileRows, size)}`).subarray(0, size)
      let [cost, limit] = [await costOfFile(file), limitOf(ordinary)]
      for (let run = 1; run < runs && (cost.total > limit.total || cost.longestTurn > limit.longestTurn); run += 1) {
        limit = limitOf(await costOfFile(rows))
        cost = await costOfFile(file)
      }
      expect(cost.total, 'processor time').toBeLessThanOrEqual(limit.total)
      expect(cost.longestTurn, 'processor time of the longest turn').toBeLessThanOrEqual(limit.longestTurn)
    })
  })
}
