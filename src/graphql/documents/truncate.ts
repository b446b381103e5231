/** Returns the text, or its first `length` characters followed by an ellipsis if it is longer. */
export function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
