import { enableCompileCache } from 'node:module'

// What is loaded from here on is compiled once per machine, not for every command.
enableCompileCache()
await import('./commands.ts')
