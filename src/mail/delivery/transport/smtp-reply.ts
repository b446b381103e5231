/** A reply of a mail server: its lines, and the code if it has one. */
export interface Reply {
  readonly code: number | undefined
  readonly text: string
}

/** Maximum number of characters of a reply. */
const maxReplyLength = 1_000_000

/** Reads the replies of one connection. */
interface ReplyReader {
  /** Reads a part of what the server sends. */
  read(chunk: Buffer): void
  /** Reads a refusal that ends without a line break, because the server closed the connection. */
  end(): void
}

/** Creates a reader that calls `onReply` with each reply, or `onOverflow` if one is too long. */
export function newReplyReader(onReply: (reply: Reply) => void, onOverflow: () => void): ReplyReader {
  /** Complete lines of a reply that continues, and the line that is not complete. */
  let lines = ''
  let rest = ''
  const readLine = (line: string) => {
    const text = lines === '' ? line : `${lines}\n${line}`
    // A reply that continues has a hyphen after the code of each line but the last (RFC 5321, section 4.2.1).
    const isPart = /^\d+-/.test(line)
    lines = isPart ? text : ''
    if (!isPart && text.trim() !== '')
      onReply({ code: Number(/^\d{3}/.exec(text)?.[0]) || undefined, text: decode(text) })
  }
  return {
    read: (chunk) => {
      const parts = chunk.toString('latin1').split('\n')
      parts[0] = rest + parts[0]
      rest = parts.pop() as string
      for (const line of parts) readLine(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (lines.length + rest.length > maxReplyLength) onOverflow()
    },
    end: () => {
      if (/^[45]\d{2}[ -]/.test(rest)) readLine(rest.trim().replace('-', ' '))
      rest = ''
    },
  }
}

/** Returns UTF-8 as text. Other bytes stay as they are. */
function decode(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString()
  return text.includes('\ufffd') ? bytes : text
}
