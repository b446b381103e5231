import { checkEveryRoute } from './every-route.ts'
import { useServers } from './support.ts'

checkEveryRoute(useServers(), 'remote')
