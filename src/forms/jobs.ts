import { newCtx, type System } from '../db/context.ts'
import { type SummaryJob, summarise, summaryJob } from './summaries/summaries.ts'
import { requestCompletion, type SummaryProvider } from './summaries/summary-provider.ts'

/** Returns the jobs that request summaries from a provider. `stop` aborts running requests; their jobs are retried. */
export function newSummaryJobs(provider: SummaryProvider) {
  const stopping = new AbortController()
  return {
    jobs: {
      [summaryJob]: (system: System, job: SummaryJob): Promise<void> =>
        summarise(newCtx(system, { accountId: job.accountId }), job, provider, (messages) =>
          requestCompletion(provider, messages, stopping.signal),
        ),
    },
    stop: () => stopping.abort(new Error('the server is stopping')),
  }
}
