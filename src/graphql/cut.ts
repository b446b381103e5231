/** Returns the text, or its first `length` characters and an ellipsis if it is longer. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
