// node .config/build.ts    builds the server and the console to dist/
import { buildConsole } from './build-console.ts'
import { buildServer } from './build-server.ts'

await buildServer()
await buildConsole()
