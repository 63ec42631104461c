/** The target of a load: one port, or the ports of all nodes of a service. */
export type Ports = number | readonly number[]

/** Returns the port for a connection by its number. */
export function portOf(ports: Ports, connection: number): number {
  return typeof ports === 'number' ? ports : (ports[connection % ports.length] ?? 0)
}
