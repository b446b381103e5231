import { objectsOf } from './crawl/places.ts'
import { testCrawl } from './crawl/roles.ts'

testCrawl(objectsOf, { OWNER: 400, ADMIN: 320, EDITOR: 290, ANALYST: 80 })
