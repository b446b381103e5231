import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

/** Returns the time series of a server whose parts all run, without those of the process itself. */
async function ownSeries(): Promise<Set<string>> {
  const server = await newServer({ ROLES: 'api,worker', MAIL_URL: 'smtp://127.0.0.1:9' })
  const world = await newWorld({ server })
  await world.run('{ account { name } }')
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const types = [...text.matchAll(/^# TYPE (campanile_\S+) (\S+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : name,
    ),
  )
}

const read = (file: string) => readFile(`src/docs/monitoring/${file}`, 'utf8')
const seriesIn = (text: string) => [...new Set(text.match(/campanile_\w+/g))]

describe('monitoring', () => {
  it('alerts and the dashboard name time series of the server, and the dashboard shows all of its own', async () => {
    const series = await ownSeries()
    const [alerts, dashboard] = await Promise.all([read('alerts.yaml'), read('dashboard.json')])
    const used = [...seriesIn(alerts), ...seriesIn(dashboard)]
    expect(used.filter((name) => !series.has(name))).toEqual([])
    const own = [...series].filter((name) => !/^campanile_(process|nodejs)_/.test(name))
    expect(own.filter((name) => !used.includes(name))).toEqual([])
  })

  it('has a panel for each place of the dashboard', async () => {
    const { panels } = JSON.parse(await read('dashboard.json'))
    const places = panels.map(({ gridPos }: { gridPos: { x: number; y: number } }) => `${gridPos.x}, ${gridPos.y}`)
    expect(new Set(places).size).toBe(panels.length)
    for (const { type, targets } of panels) expect(targets?.length > 0).toBe(type !== 'row')
  })
})
