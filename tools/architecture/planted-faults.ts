/** A fault, and the rule that must find it. */
interface Fault {
  rule: string
  /** Completes the sentence "<rule> finds …". */
  what: string
  /** Planted files by path. None of them stands in the tree but compose.ts and cli.ts, which their faults replace. */
  files: Record<string, string>
  /** Other rules that the same files rightly break. */
  also?: string[]
}

/** What faults import: written where the tree does not have it. */
export const places: Record<string, string> = Object.fromEntries(
  ['oauth', 'applications', 'interactions', 'webhooks', 'gateway', 'platform/users', 'platform/servers'].map(
    folder => [
      `packages/server/src/${folder}/index.ts`,
      `// Owns ${folder}.\n// Does not own: the rest.\nexport {}\n`,
    ],
  ),
)

const src = 'packages/server/src'

/** One file that imports another by a relative path, as code that does something with it. */
function importing(file: string, target: string): Record<string, string> {
  return { [file]: `import * as planted from '${target}'\n\nexport const seen = planted\n` }
}

function holding(file: string, text: string): Record<string, string> {
  return { [file]: `${text}\n` }
}

const importFaults: Fault[] = [
  {
    rule: 'framework-at-the-edge',
    what: 'fastify in a rule',
    files: importing(`${src}/oauth/planted-fastify.ts`, 'fastify'),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a type of fastify in a rule',
    files: holding(
      `${src}/oauth/planted-fastify-type.ts`,
      "import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest",
    ),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a type of fastify that is imported in place',
    files: holding(
      `${src}/oauth/planted-fastify-inline.ts`,
      "export type R = import('fastify').FastifyRequest",
    ),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'fastify that is imported when needed',
    files: holding(`${src}/oauth/planted-fastify-late.ts`, "export const late = () => import('fastify')"),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'fastify that is handed on',
    files: holding(`${src}/oauth/planted-fastify-handed-on.ts`, "export * from 'fastify'"),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a plugin of fastify in a store',
    files: importing(`${src}/webhooks/planted/store.ts`, '@fastify/static'),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'ws in the gateway outside its socket.ts',
    files: importing(`${src}/gateway/planted-ws.ts`, 'ws'),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-at-the-edge',
    what: 'a type of ws in the gateway outside its socket.ts',
    files: holding(
      `${src}/gateway/planted-ws-type.ts`,
      "import type { WebSocket } from 'ws'\nexport type W = WebSocket",
    ),
    also: ['framework-not-reached'],
  },
  {
    rule: 'framework-not-reached',
    what: 'a rule whose import of an import takes a type of fastify',
    files: {
      [`${src}/http/planted-request.ts`]:
        "import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest\n",
      [`${src}/http/planted-between.ts`]: "export type { R } from './planted-request.ts'\n",
      [`${src}/platform/users/planted-reach.ts`]:
        "import type { R } from '../../http/planted-between.ts'\nexport type Seen = R\n",
    },
  },
  {
    rule: 'framework-not-reached',
    what: 'a rule that reaches it through the command line',
    files: {
      [`${src}/cli.ts`]: "export type { R } from './http/planted-request.ts'\n",
      [`${src}/http/planted-request.ts`]:
        "import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest\n",
      [`${src}/platform/users/planted-cli.ts`]:
        "import type { R } from '../../cli.ts'\nexport type Seen = R\n",
    },
  },
  {
    rule: 'engines-in-storage',
    what: 'node:sqlite outside storage/',
    files: importing(`${src}/oauth/planted-sqlite/store.ts`, 'node:sqlite'),
  },
  {
    rule: 'engines-in-storage',
    what: 'node:sqlite by getBuiltinModule',
    files: holding(
      `${src}/oauth/planted-builtin/store.ts`,
      "export const sqlite = process.getBuiltinModule('node:sqlite')",
    ),
  },
  {
    rule: 'engines-in-storage',
    what: 'postgres outside storage/',
    files: importing(`${src}/webhooks/planted-postgres/store.ts`, 'postgres'),
  },
  {
    rule: 'nats-in-the-bus',
    what: 'NATS in the gateway',
    files: importing(`${src}/gateway/planted-nats.ts`, '@nats-io/transport-node'),
  },
  {
    rule: 'nats-in-the-bus',
    what: 'NATS in another file of the bus',
    files: importing(`${src}/bus/planted-nats.ts`, '@nats-io/kv'),
  },
  {
    rule: 'feature-by-its-index',
    what: 'a feature that is entered through another file',
    files: {
      [`${src}/applications/planted-inner.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/oauth/planted-entry.ts`, '../applications/planted-inner.ts'),
    },
  },
  {
    rule: 'feature-by-its-index',
    what: 'one part of the platform that enters another',
    files: {
      [`${src}/platform/servers/planted-inner.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/platform/users/planted-entry.ts`, '../servers/planted-inner.ts'),
    },
  },
  {
    rule: 'feature-by-its-index-from-outside',
    what: 'a feature that http/ enters',
    files: {
      [`${src}/oauth/planted-for-http.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/http/planted-entry.ts`, '../oauth/planted-for-http.ts'),
    },
  },
  {
    rule: 'compose-takes-index-and-routes',
    what: 'compose.ts that reaches into a feature',
    files: {
      [`${src}/oauth/planted-for-compose.ts`]: 'export const inner = 1\n',
      ...importing(`${src}/compose.ts`, './oauth/planted-for-compose.ts'),
    },
  },
  {
    rule: 'routes-by-compose',
    what: 'routes that a rule imports',
    files: {
      [`${src}/oauth/routes/planted-route.ts`]: 'export const route = 1\n',
      ...importing(`${src}/oauth/planted-route-user.ts`, './routes/planted-route.ts'),
    },
  },
  {
    rule: 'routes-by-compose',
    what: 'routes that http/ imports',
    files: {
      [`${src}/webhooks/routes/planted-route.ts`]: 'export const route = 1\n',
      ...importing(`${src}/http/planted-route-user.ts`, '../webhooks/routes/planted-route.ts'),
    },
    also: ['feature-by-its-index-from-outside'],
  },
  {
    rule: 'routes-keep-to-themselves',
    what: 'a route that imports a route of another folder',
    files: {
      [`${src}/applications/routes/planted-other.ts`]: 'export const route = 1\n',
      ...importing(
        `${src}/interactions/routes/planted-borrower.ts`,
        '../../applications/routes/planted-other.ts',
      ),
    },
    also: ['feature-by-its-index'],
  },
  {
    rule: 'platform-stands-alone',
    what: 'a feature in the platform',
    files: importing(`${src}/platform/users/planted-feature.ts`, '../../oauth/index.ts'),
  },
  {
    rule: 'platform-stands-alone',
    what: 'a feature in a file of the platform that is in no part of it',
    files: importing(`${src}/platform/planted-feature.ts`, '../webhooks/index.ts'),
  },
  ...['interactions', 'webhooks', 'gateway'].map(name => ({
    rule: 'oauth-stands-below',
    what: `${name} in oauth`,
    files: importing(`${src}/oauth/planted-${name}.ts`, `../${name}/index.ts`),
  })),
  ...['oauth', 'interactions', 'gateway', 'applications'].map(name => ({
    rule: 'webhooks-stand-on-platform',
    what: `${name} in webhooks`,
    files: importing(`${src}/webhooks/planted-${name}.ts`, `../${name}/index.ts`),
  })),
  ...['oauth', 'applications', 'interactions', 'webhooks'].map(name => ({
    rule: 'gateway-stands-on-platform',
    what: `${name} in the gateway`,
    files: importing(`${src}/gateway/planted-${name}.ts`, `../${name}/index.ts`),
  })),
  {
    rule: 'ports-know-no-feature',
    what: 'the platform in storage/',
    files: importing(`${src}/storage/planted-feature.ts`, '../platform/users/index.ts'),
  },
  {
    rule: 'kit-is-pure',
    what: 'storage in the kit',
    files: importing(`${src}/kit/planted-storage.ts`, '../storage/database.ts'),
  },
  {
    rule: 'clients-know-no-server',
    what: 'the server in the web client, by its path',
    files: importing('packages/web/src/planted-server.ts', '../../server/src/kit/clock.ts'),
  },
  {
    rule: 'clients-know-no-server',
    what: 'the server in the SDK, by its name',
    files: importing('packages/sdk/src/planted-server.ts', '@gatehouse/server/src/kit/clock.ts'),
  },
  {
    rule: 'protocol-knows-nobody',
    what: 'the server in the protocol',
    files: importing('packages/protocol/src/planted-server.ts', '../../server/src/kit/clock.ts'),
  },
  {
    rule: 'sdk-has-no-dependency',
    what: 'a package of the registry in the SDK',
    files: importing('packages/sdk/src/planted-package.ts', 'typebox'),
  },
  {
    rule: 'sdk-has-no-dependency',
    what: 'more than types of the protocol in the SDK',
    files: importing('packages/sdk/src/planted-protocol.ts', '@gatehouse/protocol/limits'),
  },
  {
    rule: 'tests-stay-out',
    what: 'test code in the service',
    files: importing(`${src}/oauth/planted-testing.ts`, '../kit/testing.ts'),
  },
  {
    rule: 'no-cycle',
    what: 'two files that import each other',
    files: {
      ...importing(`${src}/kit/planted-circle.ts`, './planted-circle-back.ts'),
      ...importing(`${src}/kit/planted-circle-back.ts`, './planted-circle.ts'),
    },
  },
  {
    rule: 'no-cycle',
    what: 'a circle of types',
    files: {
      [`${src}/kit/planted-type-circle.ts`]:
        "import type { B } from './planted-type-back.ts'\nexport type A = B | 1\n",
      [`${src}/kit/planted-type-back.ts`]:
        "import type { A } from './planted-type-circle.ts'\nexport type B = A | 2\n",
    },
  },
  {
    rule: 'resolves',
    what: 'an import of a file that is not there',
    files: importing(`${src}/kit/planted-missing.ts`, './not-there.ts'),
  },
  {
    rule: 'resolves',
    what: 'an import of a package that is not there',
    files: importing('packages/web/src/planted-missing.ts', 'not-there'),
  },
]

const tick = '`'

const sourceFaults: Fault[] = [
  ...Object.entries({
    'a statement of the port in a rule': `export const f = (db: any) => db.get<{ id: string }>${tick}SELECT id FROM users${tick}`,
    'a statement of a transaction whatever it says': `export const f = (tx: any) => tx.run${tick}SET x = 1${tick}`,
    'a port that was taken apart': `export const f = ({ all }: any) => all${tick}SELECT 1${tick}`,
    'a statement in a string': "export const text = 'INSERT INTO users (id) VALUES (1)'",
    'a statement in a template with a value': `export const f = (id: string) => ${tick}UPDATE users SET name = 1 WHERE id = ${'$'}{id}${tick}`,
    'a statement behind a comment': `export const text = ${tick}\n  -- a comment\n  DELETE FROM users${tick}`,
    'a table that is made': "export const text = 'CREATE TABLE IF NOT EXISTS planted (id TEXT)'",
    'a statement in small letters': "export const text = 'select id, name from users where id = ?'",
  }).map(([what, text], index) => ({
    rule: 'sql-in-the-store',
    what,
    files: holding(`${src}/oauth/planted-sql-${index}.ts`, text),
  })),
  {
    rule: 'sql-in-the-store',
    what: 'a statement in a route',
    files: holding(
      `${src}/oauth/routes/planted-sql.ts`,
      `export const f = (db: any) => db.all${tick}SELECT 1${tick}`,
    ),
  },
  {
    rule: 'statements-are-awaited',
    what: 'a statement whose promise is dropped',
    files: holding(
      `${src}/oauth/planted-dropped/store.ts`,
      `export async function f(db: any) {\n  db.run${tick}DELETE FROM planted${tick}\n}`,
    ),
  },
  {
    rule: 'sql-in-the-store',
    what: 'a file of SQL in a feature',
    files: holding(`${src}/oauth/planted.sql`, 'SELECT 1;'),
  },
  ...Object.entries({
    'process.env': 'export const x = process.env.PORT',
    "process['env']": "export const x = process['env']",
    'the environment of the global object': 'export const x = globalThis.process.env',
    'env of node:process': "import { env } from 'node:process'\nexport const x = env",
    'env of a process by another name': "import me from 'node:process'\nexport const x = me.env",
    'env that is taken out of process': 'const { env } = process\nexport const x = env',
  }).map(([what, text], index) => ({
    rule: 'environment-in-config',
    what,
    files: holding(`${src}/oauth/planted-env-${index}.ts`, text),
  })),
  {
    rule: 'environment-in-config',
    what: 'process.env in the SDK',
    files: holding('packages/sdk/src/planted-env.ts', 'export const x = process.env.TOKEN'),
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
    files: holding(`${src}/oauth/planted-clock-${index}.ts`, text),
  })),
  {
    rule: 'no-module-state',
    what: 'a variable of a module',
    files: holding(`${src}/oauth/planted-state.ts`, 'let calls = 0\nexport const count = () => ++calls'),
  },
  ...Object.entries({
    'an import whose name is computed': 'export const f = (name: string) => import(name)',
    'a require that is made':
      "import { createRequire } from 'node:module'\nexport const r = createRequire(import.meta.url)",
  }).map(([what, text], index) => ({
    rule: 'no-hidden-import',
    what,
    files: holding(`${src}/oauth/planted-hidden-${index}.ts`, text),
  })),
  {
    rule: 'index-says-what-it-owns',
    what: 'an index.ts that says nothing',
    files: holding(`${src}/platform/planted/index.ts`, 'export const silent = 1'),
  },
  {
    rule: 'index-says-what-it-owns',
    what: 'an index.ts that says too much',
    files: holding(
      `${src}/platform/planted-long/index.ts`,
      '// one\n// two\n// three\n// four\n// five\nexport const long = 1',
    ),
  },
  {
    rule: 'nothing-held-back',
    what: 'work that was put off',
    files: holding(`${src}/oauth/planted-later.ts`, `// ${'TO'}DO: later\nexport const later = 1`),
  },
  {
    rule: 'nothing-held-back',
    what: 'a check that was silenced',
    files: holding('packages/web/src/planted-silence.ts', `// @ts-${'ignore'}\nexport const silenced = 1`),
  },
  ...Object.entries({
    'a test that is singled out': "test.only('x', () => {})",
    'a test that is left out': "test.skip('x', () => {})",
    'a test that is left out by an option': "test('x', { skip: true }, () => {})",
  }).map(([what, text], index) => ({
    rule: 'tests-run',
    what,
    files: holding(`${src}/oauth/planted-${index}.test.ts`, `import { test } from 'node:test'\n\n${text}`),
  })),
  {
    rule: 'no-junk-folder',
    what: 'a folder of helpers',
    files: holding(`${src}/oauth/helpers/planted.ts`, 'export const helper = 1'),
  },
  {
    rule: 'no-junk-folder',
    what: 'a file of utilities',
    files: holding('packages/web/src/utils.ts', 'export const util = 1'),
  },
]

export const faults: Fault[] = [...importFaults, ...sourceFaults]
