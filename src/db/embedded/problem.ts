/** The embedded database cannot be had; the message is one line for the operator, with the way out. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}
