import { type Outcome, summaryOf } from '../../graph/use-screen.ts'
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
  notify(summaryOf(result), 'red')
  return false
}
