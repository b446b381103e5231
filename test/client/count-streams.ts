import type { World } from '../support/world.ts'

/** Returns the number of open subscriptions of the server. */
export async function countStreams({ server }: World): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return [...text.matchAll(/^campanile_streams\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}
