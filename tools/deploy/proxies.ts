import { join } from 'node:path'
import { type LocalServer, startCaddy, startHaproxy, startNginx } from '@gatehouse/testkit/local-servers'
import { readText } from './files.ts'

const deploy = join(import.meta.dirname, '../../deploy')
/** The example of docs/operate.md, whose upstream has one node. */
const [, documented = ''] = /```nginx\n([\s\S]*?)```/.exec(readText('docs/operate.md')) ?? []

/** Starts a proxy in front of one node. Undefined if it is not installed. */
export type StartProxy = (port: number, nodePort: number) => Promise<LocalServer | undefined>

export const nginx =
  (configuration: string): StartProxy =>
  (port, nodePort) =>
    startNginx(configuration, port, [nodePort, nodePort, nodePort])

/** The proxy configurations of the repository, by their place. */
export const proxies: Record<string, StartProxy> = {
  'deploy/nginx.conf': nginx(readText('deploy/nginx.conf')),
  'nginx in docs/operate.md': nginx(documented),
  'deploy/haproxy.cfg': (port, nodePort) => {
    const node = `127.0.0.1:${nodePort}`
    return startHaproxy(join(deploy, 'haproxy.cfg'), port, {
      GATEHOUSE_ADDRESS: `127.0.0.1:${port}`,
      GATEHOUSE_NODE_1: node,
      GATEHOUSE_NODE_2: node,
      GATEHOUSE_NODE_3: node,
    })
  },
  'deploy/Caddyfile': (port, nodePort) => startCaddy(join(deploy, 'Caddyfile'), port, [nodePort]),
}
