import { lists } from './crawl/places.ts'
import { testCrawl } from './crawl/roles.ts'

testCrawl(() => lists, { OWNER: 180, ADMIN: 120, EDITOR: 90, ANALYST: 60 })
