import { webFeatures } from './places.ts'

/** Files that violate a rule. */
interface Example {
  rule: string
  /** Completes the test name "<rule> finds …". */
  what: string
  /** New files by path. Only compose.ts and cli.ts exist already; the examples replace them. */
  files: Record<string, string>
  /** Other rules that the same files violate. */
  also?: string[]
}

/** Files that examples import. Existing files are not overwritten. */
export const commonFiles: Record<string, string> = Object.fromEntries(
  ['oauth', 'applications', 'interactions', 'webhooks', 'gateway', 'platform/users', 'platform/servers'].map(
    folder => [
      `packages/server/src/${folder}/index.ts`,
      `// Contains ${folder}.\n// Does not contain other features.\nexport {}\n`,
    ],
  ),
)

const src = 'packages/server/src'
const webSrc = 'packages/web/src'

/** A file that imports another file and uses the import. */
function importing(file: string, target: string): Record<string, string> {
  return { [file]: `import * as example from '${target}'\n\nexport const seen = example\n` }
}

function containing(file: string, text: string): Record<string, string> {
  return { [file]: `${text}\n` }
}

const importExamples: Example[] = [
  {
    rule: 'framework-at-the-edge',
    what: 'fastify in an operation',
    files: importing(`${src}/oauth/example-fastify.ts`, 'fastify'),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a type of fastify in an operation',
    files: containing(
      `${src}/oauth/example-fastify-type.ts`,
      "import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest",
    ),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'an inline type import of fastify',
    files: containing(
      `${src}/oauth/example-fastify-inline.ts`,
      "export type R = import('fastify').FastifyRequest",
    ),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a dynamic import of fastify',
    files: containing(`${src}/oauth/example-fastify-late.ts`, "export const late = () => import('fastify')"),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a re-export of fastify',
    files: containing(`${src}/oauth/example-fastify-handed-on.ts`, "export * from 'fastify'"),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a fastify plugin in a store',
    files: importing(`${src}/webhooks/example/store.ts`, '@fastify/static'),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'ws in the gateway outside its socket.ts',
    files: importing(`${src}/gateway/example-ws.ts`, 'ws'),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a type of ws in the gateway outside its socket.ts',
    files: containing(
      `${src}/gateway/example-ws-type.ts`,
      "import type { WebSocket } from 'ws'\nexport type W = WebSocket",
    ),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-not-reached',
    what: 'an operation that imports a type of fastify through two files',
    files: {
      [`${src}/http/example-request.ts`]:
        "import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest\n",
      [`${src}/http/example-between.ts`]: "export type { R } from './example-request.ts'\n",
      [`${src}/platform/users/example-reach.ts`]:
        "import type { R } from '../../http/example-between.ts'\nexport type Seen = R\n",
    },
  },
  {
    rule: 'framework-not-reached',
    what: 'an operation that imports fastify through the command line',
    files: {
      [`${src}/cli.ts`]: "export type { R } from './http/example-request.ts'\n",
      [`${src}/http/example-request.ts`]:
        "import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest\n",
      [`${src}/platform/users/example-cli.ts`]:
        "import type { R } from '../../cli.ts'\nexport type Seen = R\n",
    },
  },
  {
    rule: 'engines-in-storage',
    what: 'node:sqlite outside storage/',
    files: importing(`${src}/oauth/example-sqlite/store.ts`, 'node:sqlite'),
  },
  {
    rule: 'engines-in-storage',
    what: 'node:sqlite through getBuiltinModule',
    files: containing(
      `${src}/oauth/example-builtin/store.ts`,
      "export const sqlite = process.getBuiltinModule('node:sqlite')",
    ),
  },
  {
    rule: 'engines-in-storage',
    what: 'postgres outside storage/',
    files: importing(`${src}/webhooks/example-postgres/store.ts`, 'postgres'),
  },
  {
    rule: 'nats-in-the-bus',
    what: 'NATS in the gateway',
    files: importing(`${src}/gateway/example-nats.ts`, '@nats-io/transport-node'),
  },
  {
    rule: 'nats-in-the-bus',
    what: 'NATS in another file of the bus',
    files: importing(`${src}/bus/example-nats.ts`, '@nats-io/kv'),
  },
  {
    rule: 'feature-by-index',
    what: 'an import of an inner file of another feature',
    files: {
      [`${src}/applications/example-inner.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/oauth/example-entry.ts`, '../applications/example-inner.ts'),
    },
  },
  {
    rule: 'feature-by-index',
    what: 'an import of an inner file of another part of the platform',
    files: {
      [`${src}/platform/servers/example-inner.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/platform/users/example-entry.ts`, '../servers/example-inner.ts'),
    },
  },
  {
    rule: 'feature-by-index-from-outside',
    what: 'an import of an inner file of a feature in http/',
    files: {
      [`${src}/oauth/example-for-http.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/http/example-entry.ts`, '../oauth/example-for-http.ts'),
    },
  },
  {
    rule: 'compose-imports-modules',
    what: 'an import of an inner file of a feature in compose.ts',
    files: {
      [`${src}/oauth/example-for-compose.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/compose.ts`, './oauth/example-for-compose.ts'),
    },
  },
  {
    rule: 'routes-by-modules',
    what: 'an import of routes in an operation',
    files: {
      [`${src}/oauth/routes/example-route.ts`]: 'export const route = 1\n',
      ...importing(`${src}/oauth/example-route-user.ts`, './routes/example-route.ts'),
    },
  },
  {
    rule: 'routes-by-modules',
    what: 'an import of routes in http/',
    files: {
      [`${src}/webhooks/routes/example-route.ts`]: 'export const route = 1\n',
      ...importing(`${src}/http/example-route-user.ts`, '../webhooks/routes/example-route.ts'),
    },
    also: ['feature-by-index-from-outside'],
  },
  {
    rule: 'modules-by-compose',
    what: 'an import of a module in an operation',
    files: {
      [`${src}/oauth/module.ts`]: 'export const example = 1\n',
      ...importing(`${src}/oauth/example-module-user.ts`, './module.ts'),
    },
  },
  {
    rule: 'routes-import-own-folder',
    what: 'an import of a route of another folder',
    files: {
      [`${src}/applications/routes/example-other.ts`]: 'export const route = 1\n',
      ...importing(
        `${src}/interactions/routes/example-borrower.ts`,
        '../../applications/routes/example-other.ts',
      ),
    },
    also: ['feature-by-index'],
  },
  {
    rule: 'platform-imports-no-feature',
    what: 'a feature in the platform',
    files: importing(`${src}/platform/users/example-feature.ts`, '../../oauth/index.ts'),
  },
  {
    rule: 'platform-imports-no-feature',
    what: 'a feature in a file directly in platform/',
    files: importing(`${src}/platform/example-feature.ts`, '../oauth/index.ts'),
  },
  ...['interactions', 'webhooks', 'gateway'].map(name => ({
    rule: 'oauth-imports-no-upper-feature',
    what: `${name} in oauth`,
    files: importing(`${src}/oauth/example-${name}.ts`, `../${name}/index.ts`),
  })),
  ...['oauth', 'interactions', 'gateway', 'applications'].map(name => ({
    rule: 'webhooks-import-no-feature',
    what: `${name} in webhooks`,
    files: importing(`${src}/webhooks/example-${name}.ts`, `../${name}/index.ts`),
  })),
  ...['oauth', 'applications', 'interactions', 'webhooks'].map(name => ({
    rule: 'gateway-imports-no-feature',
    what: `${name} in the gateway`,
    files: importing(`${src}/gateway/example-${name}.ts`, `../${name}/index.ts`),
  })),
  {
    rule: 'ports-import-no-feature',
    what: 'the platform in storage/',
    files: importing(`${src}/storage/example-feature.ts`, '../platform/users/index.ts'),
  },
  {
    rule: 'kit-is-pure',
    what: 'storage in the kit',
    files: importing(`${src}/kit/example-storage.ts`, '../storage/database.ts'),
  },
  {
    rule: 'clients-import-no-server',
    what: 'the server in the web client, by path',
    files: importing('packages/web/src/example-server.ts', '../../server/src/kit/clock.ts'),
  },
  {
    rule: 'clients-import-no-server',
    what: 'the server in the SDK, by package name',
    files: importing('packages/sdk/src/example-server.ts', '@gatehouse/server/src/kit/clock.ts'),
  },
  {
    rule: 'web-core-below-ui',
    what: 'a component in the core of the web client',
    files: importing(`${webSrc}/core/stores/example-ui.ts`, '../../ui/icon.tsx'),
  },
  {
    rule: 'web-ui-below-features',
    what: 'a feature in ui/',
    files: importing(`${webSrc}/ui/example-feature.ts`, '../features/servers/index.ts'),
  },
  {
    rule: 'web-features-below-shell',
    what: 'the shell in a feature',
    files: importing(`${webSrc}/features/settings/example-shell.ts`, '../../shell/title.tsx'),
  },
  {
    rule: 'web-feature-by-index',
    what: 'an inner file of another feature',
    files: {
      [`${webSrc}/features/servers/example-inner.ts`]: 'export const inner = 1\n',
      ...importing(`${webSrc}/features/chat/example-entry.ts`, '../servers/example-inner.ts'),
    },
  },
  {
    rule: 'web-feature-by-index',
    what: 'a dynamic import of an inner file of a feature in the shell',
    files: {
      [`${webSrc}/features/chat/example-inner.ts`]: 'export const inner = 1\n',
      [`${webSrc}/shell/example-entry.ts`]:
        "export const load = () => import('../features/chat/example-inner.ts')\n",
    },
  },
  ...Object.entries(webFeatures).map(([feature, imported]) => {
    const other = Object.keys(webFeatures).find(name => name !== feature && !imported.includes(name))
    return {
      rule: `web-imports-of-${feature}`,
      what: `${other} in ${feature}`,
      files: importing(`${webSrc}/features/${feature}/example-order.ts`, `../${other}/index.ts`),
    }
  }),
  {
    rule: 'web-layers',
    what: 'a file outside the layers of the web client',
    files: importing(`${webSrc}/example/layer.ts`, '../ui/safe-url.ts'),
  },
  {
    rule: 'protocol-imports-no-package',
    what: 'the server in the protocol',
    files: importing('packages/protocol/src/example-server.ts', '../../server/src/kit/clock.ts'),
  },
  {
    rule: 'gateway-client-imports-protocol',
    what: 'the SDK in the gateway client',
    files: {
      'packages/sdk/src/example-target.ts': 'export const target = 1\n',
      ...importing('packages/gateway-client/src/example-sdk.ts', '../../sdk/src/example-target.ts'),
    },
  },
  {
    rule: 'gateway-client-imports-protocol',
    what: 'a Node module in the gateway client',
    files: importing('packages/gateway-client/src/example-node.ts', 'node:crypto'),
  },
  {
    rule: 'gateway-client-has-no-dependency',
    what: 'a file of the protocol that imports typebox',
    files: importing('packages/gateway-client/src/example-schemas.ts', '@gatehouse/protocol/schema'),
  },
  {
    rule: 'sdk-has-no-dependency',
    what: 'an npm package in the SDK',
    files: importing('packages/sdk/src/example-package.ts', 'typebox'),
  },
  {
    rule: 'sdk-has-no-dependency',
    what: 'a value import of the protocol in the SDK',
    files: importing('packages/sdk/src/example-protocol.ts', '@gatehouse/protocol/limits'),
  },
  {
    rule: 'service-imports-no-test-code',
    what: 'test code in the service',
    files: importing(`${src}/oauth/example-testing.ts`, '@gatehouse/testkit/clock'),
  },
  {
    rule: 'no-cycle',
    what: 'two files that import each other',
    files: {
      ...importing(`${src}/kit/example-circle.ts`, './example-circle-back.ts'),
      ...importing(`${src}/kit/example-circle-back.ts`, './example-circle.ts'),
    },
  },
  {
    rule: 'no-cycle',
    what: 'a cycle of type imports',
    files: {
      [`${src}/kit/example-type-circle.ts`]:
        "import type { B } from './example-type-back.ts'\nexport type A = B | 1\n",
      [`${src}/kit/example-type-back.ts`]:
        "import type { A } from './example-type-circle.ts'\nexport type B = A | 2\n",
    },
  },
  {
    rule: 'resolves',
    what: 'an import of a missing file',
    files: importing(`${src}/kit/example-missing.ts`, './not-there.ts'),
  },
  {
    rule: 'resolves',
    what: 'an import of a missing package',
    files: importing('packages/web/src/example-missing.ts', 'not-there'),
  },
]

const tick = '`'

const sourceExamples: Example[] = [
  ...Object.entries({
    'a tagged statement in an operation': `export const f = (db: any) => db.get<{ id: string }>${tick}SELECT id FROM users${tick}`,
    'any tagged template of a transaction': `export const f = (tx: any) => tx.run${tick}SET x = 1${tick}`,
    'a destructured method of the port': `export const f = ({ all }: any) => all${tick}SELECT 1${tick}`,
    'a statement in a string': "export const text = 'INSERT INTO users (id) VALUES (1)'",
    'a statement in a template with a value': `export const f = (id: string) => ${tick}UPDATE users SET name = 1 WHERE id = ${'$'}{id}${tick}`,
    'a statement after a comment': `export const text = ${tick}\n  -- a comment\n  DELETE FROM users${tick}`,
    'CREATE TABLE': "export const text = 'CREATE TABLE IF NOT EXISTS example (id TEXT)'",
    'a statement in lower case': "export const text = 'select id, name from users where id = ?'",
  }).map(([what, text], index) => ({
    rule: 'sql-in-the-store',
    what,
    files: containing(`${src}/oauth/example-sql-${index}.ts`, text),
  })),
  {
    rule: 'sql-in-the-store',
    what: 'a statement in a route',
    files: containing(
      `${src}/oauth/routes/example-sql.ts`,
      `export const f = (db: any) => db.all${tick}SELECT 1${tick}`,
    ),
  },
  {
    rule: 'statements-are-awaited',
    what: 'a statement that is not awaited',
    files: containing(
      `${src}/oauth/example-dropped/store.ts`,
      `export async function f(db: any) {\n  db.run${tick}DELETE FROM example${tick}\n}`,
    ),
  },
  {
    rule: 'sql-in-the-store',
    what: 'an SQL file in a feature',
    files: containing(`${src}/oauth/example.sql`, 'SELECT 1;'),
  },
  ...Object.entries({
    'process.env': 'export const x = process.env.PORT',
    "process['env']": "export const x = process['env']",
    'globalThis.process.env': 'export const x = globalThis.process.env',
    'env of node:process': "import { env } from 'node:process'\nexport const x = env",
    'env of a renamed process import': "import me from 'node:process'\nexport const x = me.env",
    'env destructured from process': 'const { env } = process\nexport const x = env',
  }).map(([what, text], index) => ({
    rule: 'environment-in-config',
    what,
    files: containing(`${src}/oauth/example-env-${index}.ts`, text),
  })),
  {
    rule: 'environment-in-config',
    what: 'process.env in the SDK',
    files: containing('packages/sdk/src/example-env.ts', 'export const x = process.env.TOKEN'),
  },
  ...Object.entries({
    'Date.now()': 'export const x = () => Date.now()',
    'Date.now without a call': 'export const x = Date.now',
    'new Date()': 'export const x = () => new Date()',
    'Date()': 'export const x = () => Date()',
    'Temporal.Now': 'export const x = () => Temporal.Now.instant()',
  }).map(([what, text], index) => ({
    rule: 'clock-is-passed-in',
    what,
    files: containing(`${src}/oauth/example-clock-${index}.ts`, text),
  })),
  {
    rule: 'no-module-state',
    what: 'a module variable',
    files: containing(`${src}/oauth/example-state.ts`, 'let calls = 0\nexport const count = () => ++calls'),
  },
  ...Object.entries({
    'a computed import': 'export const f = (name: string) => import(name)',
    createRequire:
      "import { createRequire } from 'node:module'\nexport const r = createRequire(import.meta.url)",
  }).map(([what, text], index) => ({
    rule: 'no-hidden-import',
    what,
    files: containing(`${src}/oauth/example-hidden-${index}.ts`, text),
  })),
  {
    rule: 'index-has-comment',
    what: 'an index.ts without a comment',
    files: containing(`${src}/platform/example/index.ts`, 'export const silent = 1'),
  },
  {
    rule: 'index-has-comment',
    what: 'an index.ts with a one-line comment',
    files: containing(`${src}/platform/example-short/index.ts`, '// one\nexport const short = 1'),
  },
  {
    rule: 'no-suppression',
    what: 'a to-do comment',
    files: containing(`${src}/oauth/example-later.ts`, `// ${'TO'}DO: later\nexport const later = 1`),
  },
  {
    rule: 'no-suppression',
    what: 'a comment that suppresses a check',
    files: containing('packages/web/src/example-silence.ts', `// @ts-${'ignore'}\nexport const silenced = 1`),
  },
  ...Object.entries({
    'test.only': "test.only('x', () => {})",
    'test.skip': "test.skip('x', () => {})",
    'the skip option': "test('x', { skip: true }, () => {})",
  }).map(([what, text], index) => ({
    rule: 'tests-run',
    what,
    files: containing(`${src}/oauth/example-${index}.test.ts`, `import { test } from 'node:test'\n\n${text}`),
  })),
  {
    rule: 'no-junk-folder',
    what: 'a folder named helpers',
    files: containing(`${src}/oauth/helpers/example.ts`, 'export const helper = 1'),
  },
  {
    rule: 'no-junk-folder',
    what: 'a file named utils',
    files: containing('packages/web/src/utils.ts', 'export const util = 1'),
  },
]

export const examples: Example[] = [...importExamples, ...sourceExamples]
