// Runs in a thread (kernel/thread-pool.ts): it may depend on pure modules only.
export { drawPaper } from './paper/draw.ts'
