import { invalid } from './errors.ts'

/** Maximum size of the content that one request copies, in bytes. The transaction writes it again. */
const maxCopiedBytes = 50_000_000

/** Returns the default name of a copy. Maximum 255 characters. */
export function nameOfCopy(name: string): string {
  return [...`Copy of ${name}`].slice(0, 255).join('').trim()
}

/** **Throws** VALIDATION_ERROR for the input field `id` if the content of the original is too large to be copied. */
export function mustBeCopyable(bytes: number): void {
  if (bytes > maxCopiedBytes) {
    throw invalid(
      { id: [`must have at most ${maxCopiedBytes / 1_000_000} MB of content to be copied`] },
      'LIMIT_REACHED',
    )
  }
}
