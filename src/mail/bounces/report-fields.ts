/** Header fields, or fields of a report, by lower-case name. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** Maximum number of characters in a field of a report. */
export const maxFieldLength = 2_000

/** Returns groups of fields. Empty lines separate groups; lines that begin with white space continue the previous one. */
export function groupsOf(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split(/\n\s*\n/)
    .map((group) => {
      const fields = new Map<string, string[]>()
      for (const line of group.split('\n')) {
        const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
        if (name !== undefined)
          fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), (value ?? '').trim()])
      }
      return fields
    })
}

/** Returns a value such as `rfc822; ada@example.com` without its type. */
export function withoutType(value: string | undefined): string {
  return (value ?? '')
    .slice(0, maxFieldLength)
    .replace(/^[\w-]+\s*;\s*/, '')
    .trim()
}

/** Whether a text is one address. */
export function isAddress(text: string): boolean {
  return /^[^\s@|/]+@[^\s@]+$|^"[^"]+"@[^\s@]+$/.test(text)
}

/**
 * Returns an address of a report: without brackets, with the characters that `\\x{…}` is written for (RFC 6533, section 3), and
 * with a local part that is quoted only if it has to be (RFC 5321, section 4.1.2).
 */
export function recipientOf(value: string): string {
  const decoded = bare(value).replace(/\\x\{([0-9a-f]{1,6})\}/gi, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
  const [, quoted, domain] = /^"((?:[^"\\]|\\.)*)"@(\S+)$/.exec(decoded) ?? []
  if (quoted === undefined) return decoded
  const local = quoted.replace(/\\(.)/g, '$1')
  return /^[^\s"(),:;<>@[\\\]]+$/.test(local) && !/^\.|\.\.|\.$/.test(local) ? `${local}@${domain}` : decoded
}

/** Returns an address without the brackets around it. */
export function bare(value: string): string {
  return value
    .slice(0, maxFieldLength)
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .trim()
}
