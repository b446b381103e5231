import { plural, t } from '@lingui/core/macro'
import { useState } from 'react'
import { useClient } from 'urql'
import { ActivationDocument, type ActivationQuery } from '../generated/sequences.documents.ts'
import { failureOf, type Outcome } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'

type Activation = NonNullable<NonNullable<ActivationQuery['sequence']>['activation']>

/** What is activated: a stage, or the stages of a sequence. */
interface Target {
  readonly name: string
  /** All stages if absent. */
  readonly stageIds?: readonly string[]
}

/**
 * Returns a function that activates stages of a sequence, and whether it is finding out what contacts would get. If contacts
 * wait for the stages, it asks first, and names how many get what.
 */
export function useActivation(sequenceId: string) {
  const client = useClient()
  const [isAsking, setAsking] = useState(false)
  const activate = async ({ name, stageIds }: Target, run: () => Promise<Outcome<unknown>>, done?: string) => {
    setAsking(true)
    const variables = { id: sequenceId, stageIds: stageIds?.slice() ?? null }
    const { data, error } = await client.query(ActivationDocument, variables, { requestPolicy: 'network-only' })
    setAsking(false)
    if (error) return void report(failureOf(error))
    const activation = data?.sequence?.activation
    if (activation && activation.stages.length > 0) {
      const question = { title: t`Activate “${name}”?`, consequence: consequenceOf(activation), verb: t`Activate` }
      if (!(await ask(question))) return
    }
    report(await run(), done)
  }
  return [activate, isAsking] as const
}

/** Returns how many contacts get what, a line for each stage and time. */
function consequenceOf({ stages, hasMore }: Activation): string {
  return [
    ...stages.flatMap(({ stage: { name }, dueNow, dueLater }) => [
      dueNow > 0 && plural(dueNow, { one: `# contact gets “${name}” now.`, other: `# contacts get “${name}” now.` }),
      dueLater > 0 &&
        plural(dueLater, { one: `# contact gets “${name}” later.`, other: `# contacts get “${name}” later.` }),
    ]),
    hasMore && t`There are more contacts in the sequence than were counted, so the numbers are minimums.`,
  ]
    .filter((line) => line !== false)
    .join('\n')
}
