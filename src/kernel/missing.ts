/** Returns a dependency that a kind of process does not have. Its use throws an error that names both. */
export function missing<Dependency extends object>(name: string, process: string): Dependency {
  const fail = () => {
    throw new Error(`${process} has no ${name}.`)
  }
  return new Proxy(fail as unknown as Dependency, { get: fail, apply: fail })
}
