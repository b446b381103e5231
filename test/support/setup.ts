import { afterAll } from 'vitest'
import { endAll } from './ends.ts'

afterAll(endAll, 240_000)
