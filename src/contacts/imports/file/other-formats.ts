// cspell:ignore rels opendocument
/** What files begin with that are no text with separated values, with points for control characters; and what to do with them. */
const formats: readonly { readonly start: RegExp; readonly problem: string }[] = [
  { start: /^PK.{28}(\[Content_Types\]|_rels|xl\/|docProps)/s, problem: 'is a workbook of Excel: save it as CSV' },
  { start: /^PK.{28}mimetype.*opendocument/s, problem: 'is an OpenDocument file: save it as CSV' },
  { start: /^PK.{28}Index\//s, problem: 'is a document of Numbers: export it as CSV' },
  { start: /^PK\.\./, problem: 'is a ZIP archive: unpack it, and upload a CSV file' },
  { start: /^\xd0\xcf\.\xe0\xa1\xb1\.\xe1/, problem: 'is a workbook of an old Excel: save it as CSV' },
  {
    start: /^(\.\x8b|BZh\d|\xfd7zXZ|\(\xb5\/\xfd|7z\xbc\xaf|Rar!)/,
    problem: 'is packed: unpack it, and upload a CSV file',
  },
  { start: /^%PDF-/, problem: 'is a PDF document: upload a CSV file' },
  {
    start: /^(\xef\xbb\xbf)?[\s.]*<(\?xml|!doctype|html|table)/i,
    problem: 'is a page or a workbook in HTML or XML: save it as CSV',
  },
]

/** Number of bytes at the beginning of a file that show its format. */
export const formatBytes = 256

/** Returns what is wrong with a file that begins with these bytes and is no text with separated values. */
export function formatProblem(head: Uint8Array): string | undefined {
  const text = Array.from(head, (byte) => (byte < 0x20 ? '.' : String.fromCharCode(byte))).join('')
  return formats.find(({ start }) => start.test(text))?.problem
}
