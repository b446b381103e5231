import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import Koa from 'koa'
import { tellUsage } from './usage.ts'

// The file is served with Koa's own middleware: stat, then a stream.

const [file] = process.argv.slice(2) as [string]
const koa = new Koa()
koa.use(async (ctx) => {
  const { size, mtime } = await stat(file)
  ctx.set({ 'Content-Length': String(size), 'Last-Modified': mtime.toUTCString(), 'Cache-Control': 'max-age=0' })
  ctx.type = extname(file)
  ctx.body = createReadStream(file)
})
const server = koa.listen(0, '127.0.0.1', () => tellUsage((server.address() as AddressInfo).port))
