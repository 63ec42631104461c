import { execFileSync } from 'node:child_process'
import type { NetworkAddress } from '@gatehouse/testkit/local-servers'

/**
 * Two nodes and a hub, each in its own network namespace. A bridge in the hub connects the nodes with the hub. Separate
 * links connect the nodes with this process, so that clients still reach a node after `cut`.
 */
export interface Network {
  hub: NetworkAddress
  nodes: [NetworkAddress, NetworkAddress]
  /** Drops all packets between the second node and the hub without closing connections. */
  cut(): void
  heal(): void
}

const prefix = `gh${process.pid % 10_000}`
const hub = `${prefix}h`
const nodes = [`${prefix}a`, `${prefix}b`]

/** Throws if namespaces cannot be created. */
export function createNetwork(): Network {
  ip(
    [],
    ...[hub, ...nodes].map(name => `netns add ${name}`),
    `link add ${prefix}r netns ${hub} type veth peer name ${prefix}hub`,
    ...nodes.map((node, i) => `link add ${prefix}${i} netns ${hub} type veth peer name hub netns ${node}`),
    ...nodes.map((node, i) => `link add ${prefix}c${i} type veth peer name clients netns ${node}`),
    ...address(`${prefix}hub`, '10.213.0.9'),
    ...nodes.flatMap((_, i) => address(`${prefix}c${i}`, `10.213.${i + 1}.1`)),
  )
  ip(
    ['-n', hub],
    'link set lo up',
    'link add br0 type bridge',
    ...address('br0', '10.213.0.1'),
    ...['r', '0', '1'].map(port => `link set ${prefix}${port} master br0 up`),
  )
  for (const [i, node] of nodes.entries()) {
    const addresses = [...address('hub', `10.213.0.${i + 2}`), ...address('clients', `10.213.${i + 1}.2`)]
    ip(['-n', node], 'link set lo up', ...addresses)
  }
  const enter = (name = '') => ['ip', 'netns', 'exec', name]
  return {
    hub: { host: '10.213.0.1', wrapper: enter(hub) },
    nodes: [
      { host: '10.213.1.2', wrapper: enter(nodes[0]) },
      { host: '10.213.2.2', wrapper: enter(nodes[1]) },
    ],
    // Removing the port from the bridge drops frames silently, like a switch without power.
    cut: () => ip(['-n', hub], `link set ${prefix}1 nomaster`),
    heal: () => ip(['-n', hub], `link set ${prefix}1 master br0`),
  }
}

/** A namespace persists until its last process exits, so the links to this process are deleted separately. */
export function removeNetwork(): void {
  const links = ['hub', 'c0', 'c1'].map(name => `link del ${prefix}${name}`)
  const namespaces = [hub, ...nodes].map(name => `netns del ${name}`)
  // Ignores links and namespaces that do not exist.
  try {
    ip(['-force'], ...links, ...namespaces)
  } catch {}
}

function address(device: string, ip: string): string[] {
  return [`addr add ${ip}/24 dev ${device}`, `link set ${device} up`]
}

function ip(options: readonly string[], ...commands: string[]): void {
  execFileSync('ip', [...options, '-batch', '-'], { input: commands.join('\n'), stdio: 'pipe' })
}
