import { testCrawl } from './crawl/roles.ts'

testCrawl(['OWNER'])
