// Requests /livez every ten milliseconds on a connection in a thread of its own, and reports the longest wait.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type MessagePort, workerData } from 'node:worker_threads'

/** Result of the probe. */
export interface Measure {
  /**
   * The longest response time, minus the time in which the computer kept the server or the probe from running, in
   * milliseconds.
   */
  readonly longestMilliseconds: number
  readonly answers: number
  /** Number of requests without a response of 200. */
  readonly failures: number
}

const everyMilliseconds = 10
/** The server that is measured. */
export interface Target {
  readonly url: string
  readonly pid: number
}

const { port } = workerData as { port: MessagePort }

let isOver = false
// A target begins a measurement, and `undefined` ends it.
port.on('message', (target: Target | undefined) => {
  isOver = target === undefined
  if (target) void measure(target)
})
port.postMessage('ready')

async function measure(target: Target): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let [longest, answers, failures] = [0, 0, 0]
  do {
    const [began, kept] = [performance.now(), keptWaiting(target)]
    const isWell = await ask(target, agent)
    const took = performance.now() - began - (keptWaiting(target) - kept)
    longest = Math.max(longest, took)
    answers += 1
    if (!isWell) failures += 1
    // What is measured begins after this, so that a busy machine does not start the measurement later.
    if (answers === 1) port.postMessage('measuring')
    await pause(everyMilliseconds)
  } while (!isOver)
  agent.destroy()
  port.postMessage({ longestMilliseconds: Math.round(longest), answers, failures } satisfies Measure)
}

function ask({ url }: Target, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    request(`${url}/livez`, { agent, timeout: 60_000 }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy()
      })
      .on('error', () => resolve(false))
      .end()
  })
}

/**
 * How long the server's main thread and this one were ready to run while other programs had the processor, in
 * milliseconds. Available on Linux; 0 elsewhere, where only the repetitions of the frame compensate for a busy machine.
 */
function keptWaiting({ pid }: Target): number {
  try {
    return [`/proc/${pid}/task/${pid}/schedstat`, '/proc/thread-self/schedstat']
      .map((file) => Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6)
      .reduce((sum, each) => sum + each)
  } catch {
    return 0
  }
}
