import { execFileSync } from 'node:child_process'
import type { Place } from './servers.ts'

/**
 * Two nodes and a hub, each in a network namespace of its own. The nodes reach the hub over a bridge there, and this
 * process over links of their own: a node that is cut off still has its clients.
 */
export interface Network {
  hub: Place
  nodes: [Place, Place]
  /** From one moment on nothing comes through between the second node and the hub, and nobody is told. */
  cut(): void
  heal(): void
  remove(): void
}

const prefix = `gh${process.pid % 10_000}`

/** Throws where namespaces cannot be made. */
export function makeNetwork(): Network {
  const hub = `${prefix}h`
  const nodes = [`${prefix}a`, `${prefix}b`] as const
  for (const name of [hub, ...nodes]) run('netns', 'add', name)
  inside(hub, 'link', 'add', 'br0', 'type', 'bridge')
  inside(hub, 'addr', 'add', '10.213.0.1/24', 'dev', 'br0')
  inside(hub, 'link', 'set', 'br0', 'up')
  inside(hub, 'link', 'set', 'lo', 'up')
  join(undefined, '10.213.0.9/24', `${prefix}r`)
  for (const [index, name] of nodes.entries()) {
    inside(name, 'link', 'set', 'lo', 'up')
    join(name, `10.213.0.${index + 2}/24`, `${prefix}${index}`)
    const outer = `${prefix}c${index}`
    run('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'clients', 'netns', name)
    run('addr', 'add', `10.213.${index + 1}.1/24`, 'dev', outer)
    run('link', 'set', outer, 'up')
    inside(name, 'addr', 'add', `10.213.${index + 1}.2/24`, 'dev', 'clients')
    inside(name, 'link', 'set', 'clients', 'up')
  }

  /** Puts whoever it is (this process where undefined) on the hub's bridge. */
  function join(name: string | undefined, address: string, port: string): void {
    const own = name === undefined ? `${prefix}hub` : 'hub'
    run('link', 'add', port, 'netns', hub, 'type', 'veth', 'peer', 'name', `${port}p`)
    if (name !== undefined) run('link', 'set', `${port}p`, 'netns', name)
    const end = name === undefined ? run : (...args: string[]) => inside(name, ...args)
    end('link', 'set', `${port}p`, 'name', own)
    end('addr', 'add', address, 'dev', own)
    end('link', 'set', own, 'up')
    inside(hub, 'link', 'set', port, 'master', 'br0')
    inside(hub, 'link', 'set', port, 'up')
  }

  const place = (name: string, host: string): Place => ({ host, wrapper: ['ip', 'netns', 'exec', name] })
  return {
    hub: place(hub, '10.213.0.1'),
    nodes: [place(nodes[0], '10.213.1.2'), place(nodes[1], '10.213.2.2')],
    // The bridge forgets the port: frames are dropped without a word, as by a switch that lost its power.
    cut: () => inside(hub, 'link', 'set', `${prefix}1`, 'nomaster'),
    heal: () => inside(hub, 'link', 'set', `${prefix}1`, 'master', 'br0'),
    remove: removeNamespaces,
  }
}

/** A namespace goes when its last process has: the links to here are taken away at once. */
export function removeNamespaces(): void {
  const links = ['hub', 'c0', 'c1'].map(name => ['link', 'del', prefix + name])
  const namespaces = ['h', 'a', 'b'].map(name => ['netns', 'del', prefix + name])
  for (const command of [...links, ...namespaces]) {
    try {
      run(...command)
    } catch {
      // It was not made.
    }
  }
}

function run(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' })
}

function inside(name: string, ...args: string[]): void {
  run('-n', name, ...args)
}
