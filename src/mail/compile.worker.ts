// Runs in a thread (kernel/work/thread-pool.ts). A file of its own, because only what compiles loads the compiler.

export { compileContent } from './compile/compile.ts'
