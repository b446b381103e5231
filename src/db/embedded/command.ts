import { spawn } from 'node:child_process'

/** The system user as which the server runs if this process is root, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  name: string
  uid: number
  gid: number
}

/** Result of a command: its exit code (null if it could not start or was killed) and its output. */
interface Outcome {
  code: number | null
  output: string
}

/**
 * Runs a program to its end as the given user. It runs in a separate session, so that Ctrl+C for this process does not
 * end it.
 *
 * It does not inherit the environment, because PGDATA, PGPORT and LC_* would change its behaviour. Never rejects.
 */
export function runAs(user: ServerUser | undefined, program: string, args: string[], cwd = '/'): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
      ...(user && { uid: user.uid, gid: user.gid }),
    })
    let output = ''
    const append = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', append)
    child.stderr.on('data', append)
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
  })
}
