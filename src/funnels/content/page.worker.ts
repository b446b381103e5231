// Runs in a thread (kernel/work/thread-pool.ts), so it imports only modules without a database or state.

export { buildPageData } from '../html/compile.ts'
export { validateContent } from './content-validation.ts'
