// Runs in a thread (kernel/thread-pool.ts): it may depend on pure modules only.
export { checkContent } from './content-check.ts'
export { pageData } from './page/compile.ts'
