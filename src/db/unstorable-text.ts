import { Refusal } from '../kernel/errors.ts'
import { unstorableMessage } from '../kernel/values/storable-text.ts'
import { errorsIn } from './driver/index.ts'

/** PostgreSQL refused bytes of text, or a character in JSON: NUL, or half of a surrogate pair. */
const codes: readonly unknown[] = ['22021', '22P05']

/** Returns VALIDATION_ERROR for an error of text that PostgreSQL cannot store. Returns undefined for other errors. */
export function unstorableText(error: unknown): Refusal | undefined {
  const isUnstorable = errorsIn(error).some(
    ({ code, originalCode }) => codes.includes(code) || codes.includes(originalCode),
  )
  return isUnstorable ? new Refusal('VALIDATION_ERROR', `Text ${unstorableMessage}.`) : undefined
}
