/** Splits tag names at commas and semicolons. A name that contains a separator is quoted. */
export function parseTags(cell: string): string[] {
  const names = cell.includes('"')
    ? [...cell.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,;]*))\s*(?:[,;]|$)/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
      )
    : cell.split(/[,;]/)
  return names.map((name) => name.trim()).filter((name) => name !== '')
}
