// Runs in a thread (kernel/work/thread-pool.ts), so it imports pure modules only.
export { renderDocument } from './pdf/render.ts'
