import { readdir, readFile } from 'node:fs/promises'

/** Returns the parent of a process, and the processor time in ms of it and of its children that ended. */
export async function timesOf(pid: number): Promise<{ parent: number; own: number; ended: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Fields 4 and 14 to 17 of proc(5), in ticks of 10 ms.
  const [parent, user, kernel, endedUser, endedKernel] = [1, 11, 12, 13, 14].map((field) => Number(fields[field])) as [
    ...[number, number, number, number, number],
  ]
  return { parent, own: (user + kernel) * 10, ended: (endedUser + endedKernel) * 10 }
}

/** Returns the processor time of a PostgreSQL and all its processes, also those that ended. */
export async function treeOf(postmaster: number): Promise<number> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = await Promise.all(processes.map((pid) => timesOf(pid).catch(() => undefined)))
  const { own, ended } = await timesOf(postmaster)
  return own + ended + all.reduce((sum, each) => sum + (each?.parent === postmaster ? each.own : 0), 0)
}
