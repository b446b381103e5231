// Runs in a thread (kernel/thread-pool.ts): it may depend on pure modules only.
export { validateContent } from './content-validation.ts'
export { buildPageData } from './page/compile.ts'
