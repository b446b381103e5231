import { useServers } from '../rest/support.ts'
import { fuzzOperations } from './openapi-fuzz.ts'

fuzzOperations(useServers({ ROLES: 'api' }), 12)
