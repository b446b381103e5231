/** A text that values are filled into would exceed its maximum. The message is a sentence for the author. */
export class TextTooLongError extends Error {
  override name = 'TextTooLongError'

  /** `what` names the text and begins the sentence. */
  constructor(what: string, maxBytes: number) {
    super(`${what} would have more than ${maxBytes} bytes.`)
  }
}

/** A text of limited size that is joined from pieces. */
export interface BoundedText {
  /** Appends a piece. **Throws** TextTooLongError. */
  add(piece: string): void
  /** Returns the text. **Throws** TextTooLongError. */
  end(): string
  /** Number of characters so far. */
  readonly length: number
}

/**
 * Creates an empty text of at most `maxBytes` bytes in UTF-8. It is limited while it grows, because values that are filled
 * in can make it many times as long as its template.
 */
export function boundedText(what: string, maxBytes: number): BoundedText {
  let text = ''
  return {
    get length() {
      return text.length
    },
    add: (piece) => {
      // A character has at least one byte, so this stops the text early; its bytes are counted once, at the end.
      if (text.length + piece.length > maxBytes) throw new TextTooLongError(what, maxBytes)
      text += piece
    },
    end: () => {
      if (Buffer.byteLength(text) > maxBytes) throw new TextTooLongError(what, maxBytes)
      return text
    },
  }
}
