import { roles } from '../../src/kernel/scopes.ts'
import { testCrawl } from './crawl/roles.ts'

// The role with most controls comes first.
testCrawl(roles)
