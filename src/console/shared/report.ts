import type { Outcome } from '../graph/use-screen.ts'
import { words } from './format.ts'
import { notify } from './notify.tsx'

/**
 * Shows what came of an action that has no field beside it: the message if it succeeded, or else why it was refused. Returns
 * whether it succeeded.
 */
export function report(result: Outcome<unknown>, message?: string): boolean {
  if (result.error === undefined) {
    if (message !== undefined) notify(message)
    return true
  }
  const reasons = Object.entries(result.fields).map(([field, reason]) => `${words(field)}: ${reason}`)
  notify(reasons.join(' ') || result.error, 'red')
  return false
}
