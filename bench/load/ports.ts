/** Where a load goes: to one process, or spread over the nodes of one service. */
export type Ports = number | readonly number[]

/** The port of the connection with this number. */
export function portOf(ports: Ports, connection: number): number {
  return typeof ports === 'number' ? ports : (ports[connection % ports.length] ?? 0)
}
