// Runs in a thread (kernel/thread-pool.ts), so it imports only modules without a database or state.
export { validateContent } from './content-validation.ts'
export { buildPageData } from './page/compile.ts'
