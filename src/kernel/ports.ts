const unfilled = new Map<object, string>()

/** Creates the ports of a module: what higher modules provide to it. Reading one before `fillPorts` throws. */
export function newPorts<Ports extends object>(module: string): Ports {
  const ports = new Proxy({} as Ports, {
    get: (filled, name) => {
      if (!Object.hasOwn(filled, name)) throw new Error(`The port ${String(name)} of ${module} is not filled.`)
      return Reflect.get(filled, name)
    },
  })
  unfilled.set(ports, module)
  return ports
}

/** Fills all ports of a module. */
export function fillPorts<Ports extends object>(ports: Ports, provided: NoInfer<Ports>): void {
  Object.assign(ports, provided)
  unfilled.delete(ports)
}

/** Throws if the ports of a module are not filled. Every process calls it when it starts. */
export function portsMustBeFilled(): void {
  if (unfilled.size > 0) throw new Error(`The ports of these modules are not filled: ${[...unfilled.values()].join()}.`)
}
