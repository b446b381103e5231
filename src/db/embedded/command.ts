import { spawn } from 'node:child_process'

/** The account a server runs as when we are root, which PostgreSQL refuses to be. */
export interface ServerUser {
  name: string
  uid: number
  gid: number
}

/** What a command left behind: its exit code (null when it could not run or was killed) and all it printed. */
export interface Outcome {
  code: number | null
  output: string
}

/**
 * Runs a program to its end, as the given user, in a session of its own: a Ctrl+C meant for us does not reach it.
 *
 * It sees nothing of our environment, or PGDATA, PGPORT and LC_* would have their say. Never throws.
 */
export function runAs(user: ServerUser | undefined, program: string, args: string[], cwd = '/'): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
      ...(user && { uid: user.uid, gid: user.gid }),
    })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => done({ code: null, output: error.message }))
    child.on('close', (code) => done({ code, output }))
  })
}
