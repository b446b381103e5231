import { enableCompileCache } from 'node:module'

// Caches the compiled code of the modules that are loaded from here on.
enableCompileCache()
await import('./commands.ts')
