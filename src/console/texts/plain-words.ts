/** Returns the English words of a name of the graph: `SENDING` becomes "Sending". The catalogue is extracted with them too. */
export function plainWords(value: string): string {
  const text = value.replaceAll('_', ' ').toLowerCase()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
