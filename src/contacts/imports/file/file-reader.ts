import { newTurns } from '../../../kernel/work/turns.ts'
import { ChunkReader, fileError, mebibyte, type OnHeader, type Reading } from './chunks.ts'
import { FileDecoder, type ImportEncoding } from './encoding.ts'
import { formatBytes, formatProblem } from './other-formats.ts'
import type { NumberedRow } from './stored-rows.ts'

export type { NumberedRow, Reading }

const maxFileBytes = 256 * mebibyte
/** Bytes that are parsed before other work of the process can get a turn. */
const sliceBytes = 16 * 1024

interface ReadOptions {
  /** Encoding of a file without a byte order mark. Detected if absent. */
  readonly encoding?: ImportEncoding | undefined
  /** Receives how the file was read, after its last row. */
  readonly onEnd?: (reading: Reading) => void
}

/**
 * Reads a CSV file and yields its rows in chunks, with one chunk in memory. `FileDecoder` describes the encodings. Cells are
 * separated by commas, semicolons or tabs, or by the sign of a first line such as `sep=|`. Calls `onHeader` with the header
 * before the first chunk. Empty lines are skipped. An invalid quote concerns only the row of its line.
 *
 * **Throws** VALIDATION_ERROR for the field `csv`, if the file has no header, too many columns or rows, is too large, or has
 * another format, such as that of a workbook or a packed file.
 */
export async function* readChunks(
  source: AsyncIterable<Uint8Array>,
  onHeader: OnHeader,
  { encoding, onEnd }: ReadOptions = {},
): AsyncGenerator<NumberedRow[]> {
  const reader = new ChunkReader(onHeader)
  const decoder = new FileDecoder(encoding, (valid) => reader.recodePending(valid))
  const turn = newTurns()
  let bytes = 0
  let head: Uint8Array = new Uint8Array()
  for await (const slice of slices(source)) {
    if (bytes < formatBytes) {
      head = Buffer.concat([head, slice]).subarray(0, formatBytes)
      const problem = formatProblem(head)
      if (problem !== undefined) throw fileError(problem)
    }
    bytes += slice.length
    if (bytes > maxFileBytes) throw fileError(`must not be larger than ${maxFileBytes / mebibyte} MB`)
    reader.write(decoder.decode(slice))
    yield* parsed(reader, false, turn)
  }
  reader.write(decoder.decode(new Uint8Array(), true))
  yield* parsed(reader, true, turn)
  for (const chunk of reader.takeAllChunks()) {
    await turn()
    yield chunk
  }
  onEnd?.(reader.readingOf(decoder.encoding ?? 'UTF_8'))
}

/** Yields the chunks of the rows that can be parsed. Without turns, no other work would run until the end of the file. */
async function* parsed(
  reader: ChunkReader,
  isLast: boolean,
  turn: ReturnType<typeof newTurns>,
): AsyncGenerator<NumberedRow[]> {
  let hasMore = true
  while (hasMore) {
    await turn(reader.hasLongRow)
    hasMore = reader.parse(isLast)
    for (const chunk of reader.takeFullChunks()) {
      await turn()
      yield chunk
    }
  }
}

/** Cuts a stream into small slices, so that the time between turns does not depend on how the client sends the file. */
async function* slices(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of source) {
    for (let from = 0; from < part.length; from += sliceBytes) yield part.subarray(from, from + sliceBytes)
  }
}
