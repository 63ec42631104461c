import { execFileSync } from 'node:child_process'
import type { Place } from './servers.ts'

/**
 * Two nodes and a hub, each in its own network namespace. A bridge in the hub connects the nodes with the hub.
 * Separate links connect the nodes with this process, so that clients still reach a node after `cut`.
 */
export interface Network {
  hub: Place
  nodes: [Place, Place]
  /** Drops all packets between the second node and the hub without closing connections. */
  cut(): void
  heal(): void
  remove(): void
}

const prefix = `gh${process.pid % 10_000}`

/** Throws if namespaces cannot be created. */
export function makeNetwork(): Network {
  const hub = `${prefix}h`
  const nodes = [`${prefix}a`, `${prefix}b`] as const
  for (const name of [hub, ...nodes]) run('netns', 'add', name)
  runIn(hub, 'link', 'add', 'br0', 'type', 'bridge')
  runIn(hub, 'addr', 'add', '10.213.0.1/24', 'dev', 'br0')
  runIn(hub, 'link', 'set', 'br0', 'up')
  runIn(hub, 'link', 'set', 'lo', 'up')
  join(undefined, '10.213.0.9/24', `${prefix}r`)
  for (const [index, name] of nodes.entries()) {
    runIn(name, 'link', 'set', 'lo', 'up')
    join(name, `10.213.0.${index + 2}/24`, `${prefix}${index}`)
    const outer = `${prefix}c${index}`
    run('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'clients', 'netns', name)
    run('addr', 'add', `10.213.${index + 1}.1/24`, 'dev', outer)
    run('link', 'set', outer, 'up')
    runIn(name, 'addr', 'add', `10.213.${index + 1}.2/24`, 'dev', 'clients')
    runIn(name, 'link', 'set', 'clients', 'up')
  }

  /** Connects a namespace to the bridge of the hub. `undefined` is the namespace of this process. */
  function join(name: string | undefined, address: string, port: string): void {
    const device = name === undefined ? `${prefix}hub` : 'hub'
    run('link', 'add', port, 'netns', hub, 'type', 'veth', 'peer', 'name', `${port}p`)
    if (name !== undefined) run('link', 'set', `${port}p`, 'netns', name)
    const runThere = name === undefined ? run : (...args: string[]) => runIn(name, ...args)
    runThere('link', 'set', `${port}p`, 'name', device)
    runThere('addr', 'add', address, 'dev', device)
    runThere('link', 'set', device, 'up')
    runIn(hub, 'link', 'set', port, 'master', 'br0')
    runIn(hub, 'link', 'set', port, 'up')
  }

  const place = (name: string, host: string): Place => ({ host, wrapper: ['ip', 'netns', 'exec', name] })
  return {
    hub: place(hub, '10.213.0.1'),
    nodes: [place(nodes[0], '10.213.1.2'), place(nodes[1], '10.213.2.2')],
    // Removing the port from the bridge drops frames silently, like a switch without power.
    cut: () => runIn(hub, 'link', 'set', `${prefix}1`, 'nomaster'),
    heal: () => runIn(hub, 'link', 'set', `${prefix}1`, 'master', 'br0'),
    remove: removeNamespaces,
  }
}

/** A namespace persists until its last process exits, so the links to this process are deleted separately. */
export function removeNamespaces(): void {
  const links = ['hub', 'c0', 'c1'].map(name => ['link', 'del', prefix + name])
  const namespaces = ['h', 'a', 'b'].map(name => ['netns', 'del', prefix + name])
  for (const command of [...links, ...namespaces]) {
    try {
      run(...command)
    } catch {
      // It does not exist.
    }
  }
}

function run(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' })
}

function runIn(name: string, ...args: string[]): void {
  run('-n', name, ...args)
}
