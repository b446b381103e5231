import { type NumberedRow, readChunks } from '../../src/contacts/imports/file/file-reader.ts'
import { isLongRow } from '../../src/contacts/imports/file/stored-rows.ts'
import { mapColumns } from '../../src/contacts/imports/rows/columns.ts'
import { newRowParser } from '../../src/contacts/imports/rows/row-parser.ts'
import { Refusal } from '../../src/kernel/errors.ts'
import { newTurns } from '../../src/kernel/work/turns.ts'

/** What an import of a file costs: processor time as a whole, and that of its longest turn of the event loop. */
export interface Cost {
  readonly total: number
  readonly longestTurn: number
}

/** Size of a part of a file as a socket delivers it. */
const partSize = 64 * 1024

/** Processor time of this thread in milliseconds. Other programs do not change it, only the speed of the processor does. */
function usedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Reads a file, stores its rows as text and parses each, as an import does. Returns what that costs. */
export async function costOfFile(file: Buffer): Promise<Cost> {
  let [isOver, longestTurn, last] = [false, 0, usedMilliseconds()]
  const endTurn = () => {
    const now = usedMilliseconds()
    longestTurn = Math.max(longestTurn, now - last)
    last = now
    if (!isOver) setImmediate(endTurn)
  }
  setImmediate(endTurn)
  const start = last
  await readFile(file).catch((error: unknown) => {
    // The time until a file is refused is its cost.
    if (!(error instanceof Refusal)) throw error
  })
  isOver = true
  endTurn()
  return { total: usedMilliseconds() - start, longestTurn }
}

/** Reads a file as the upload does, and then the stored rows as the job does: a file that is refused has no job. */
async function readFile(file: Buffer): Promise<void> {
  let parse: ReturnType<typeof newRowParser> | undefined
  const onHeader = (header: string[]) => {
    const columns = mapColumns(header, [], [])
    parse = newRowParser(columns, [])
    return columns.findIndex(({ field }) => field === 'EMAIL')
  }
  const stored: string[] = []
  const turn = newTurns()
  for await (const chunk of readChunks(partsOf(file), onHeader)) {
    stored.push(JSON.stringify(chunk))
    await turn()
  }
  for (const chunk of stored) {
    await turn()
    for (const row of JSON.parse(chunk) as NumberedRow[]) {
      await turn(isLongRow(row))
      parse?.(row)
    }
  }
}

async function* partsOf(file: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < file.length; from += partSize) yield file.subarray(from, from + partSize)
}
