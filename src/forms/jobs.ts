import { newCtx, type System } from '../db/context.ts'
import { type SummaryJob, summarise, summaryJob } from './summaries.ts'
import { ask, type Provider } from './summary-provider.ts'

/** The jobs that ask a provider for summaries. `stop` breaks off what is being asked: those jobs are tried again. */
export function newSummaryJobs(provider: Provider) {
  const stopping = new AbortController()
  return {
    jobs: {
      [summaryJob]: (system: System, job: SummaryJob): Promise<void> =>
        summarise(newCtx(system, { accountId: job.accountId }), job, provider, (messages) =>
          ask(provider, messages, stopping.signal),
        ),
    },
    stop: () => stopping.abort(new Error('the server stops')),
  }
}
