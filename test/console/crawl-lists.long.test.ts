import { lists } from './crawl/places.ts'
import { testCrawl } from './crawl/roles.ts'

testCrawl(() => lists)
