import type { IForbiddenRuleType } from 'dependency-cruiser'
import { edge, featureNames, npm, otherThan, server, testCode, unit } from './places.ts'

/** What the web framework is made of, types included. */
const framework = [npm('fastify'), npm('@fastify/[^/]+'), npm('ws')]

const error = 'error'

/**
 * The imports that the house forbids. Each has a planted fault in `check-architecture.test.ts`; a rule without one
 * fails there.
 */
export const importRules: IForbiddenRuleType[] = [
  {
    name: 'framework-at-the-edge',
    severity: error,
    comment: 'fastify, @fastify/* and ws belong to http/, routes/, gateway/socket.ts and compose.ts',
    from: { path: server, pathNot: [...edge, testCode] },
    to: { path: framework },
  },
  {
    name: 'framework-not-reached',
    severity: error,
    comment: 'a rule reaches the web framework through the files that it imports, types too',
    // @NOTE The command line starts the service, so it reaches everything; it may not name the framework either.
    from: { path: server, pathNot: [...edge, `${server}(main|cli)\\.ts$`, testCode] },
    to: { path: framework, reachable: true },
  },
  {
    name: 'engines-in-storage',
    severity: error,
    comment: 'node:sqlite and postgres belong to storage/',
    from: { path: '^packages/', pathNot: `${server}storage/` },
    to: { path: ['^(node:)?sqlite$', npm('postgres')] },
  },
  {
    name: 'nats-in-the-bus',
    severity: error,
    comment: '@nats-io/* belongs to bus/nats.ts',
    from: { path: '^packages/', pathNot: [`${server}bus/nats\\.ts$`, `${server}bus/[^/]+\\.test\\.ts$`] },
    to: { path: npm('@nats-io/[^/]+') },
  },
  {
    name: 'feature-by-its-index',
    severity: error,
    comment: 'a feature is entered by its index.ts',
    from: { path: `${server}(${unit})/` },
    to: {
      path: `${server}(?:${unit})/`,
      pathNot: [`${server}$1/`, `${server}(?:${unit})/index\\.ts$`, testCode],
    },
  },
  {
    name: 'feature-by-its-index-from-outside',
    severity: error,
    comment: 'a feature is entered by its index.ts; compose.ts also takes its routes and the gateway socket',
    from: {
      path: '^(packages|tools|bench|examples)/',
      pathNot: [`${server}(?:${unit})/`, `${server}compose\\.ts$`],
    },
    to: { path: `${server}(?:${unit})/`, pathNot: [`${server}(?:${unit})/index\\.ts$`, testCode] },
  },
  {
    name: 'compose-takes-index-and-routes',
    severity: error,
    comment: 'compose.ts takes index.ts, routes/ and gateway/socket.ts of a feature, nothing deeper',
    from: { path: `${server}compose\\.ts$` },
    to: {
      path: `${server}(?:${unit})/`,
      pathNot: [
        `${server}(?:${unit})/index\\.ts$`,
        `${server}(?:${unit})/routes/`,
        `${server}gateway/socket\\.ts$`,
      ],
    },
  },
  {
    name: 'routes-by-compose',
    severity: error,
    comment: 'routes/ is imported by compose.ts alone',
    from: { path: '^(packages|tools|bench|examples)/', pathNot: [`${server}compose\\.ts$`, '/routes/'] },
    to: { path: `${server}(|.+/)routes/`, pathNot: testCode },
  },
  {
    name: 'routes-keep-to-themselves',
    severity: error,
    comment: 'a route imports no route of another folder',
    from: { path: `${server}(.+)/routes/` },
    to: { path: `${server}(|.+/)routes/`, pathNot: [`${server}$1/routes/`, testCode] },
  },
  {
    name: 'platform-stands-alone',
    severity: error,
    comment: 'platform/ imports no feature',
    from: { path: `${server}platform/` },
    to: { path: `${server}(${featureNames})/` },
  },
  {
    name: 'oauth-stands-below',
    severity: error,
    comment: 'oauth/ imports neither interactions nor webhooks nor gateway',
    from: { path: `${server}oauth/` },
    to: { path: `${server}(interactions|webhooks|gateway)/` },
  },
  {
    name: 'webhooks-stand-on-platform',
    severity: error,
    comment: 'webhooks/ imports no other feature',
    from: { path: `${server}webhooks/` },
    to: { path: `${server}(${otherThan('webhooks')})/` },
  },
  {
    name: 'gateway-stands-on-platform',
    severity: error,
    comment: 'gateway/ imports no other feature',
    from: { path: `${server}gateway/` },
    to: { path: `${server}(${otherThan('gateway')})/` },
  },
  {
    name: 'ports-know-no-feature',
    severity: error,
    comment: 'storage/, bus/, mail/ and outgoing/ import neither the platform nor a feature',
    from: { path: `${server}(storage|bus|mail|outgoing)/`, pathNot: testCode },
    to: { path: `${server}(platform|${featureNames})/` },
  },
  {
    name: 'kit-is-pure',
    severity: error,
    comment: 'kit/ imports nothing of ours but the protocol',
    from: { path: `${server}kit/`, pathNot: testCode },
    to: { path: '^(packages|tools|bench|examples)/', pathNot: [`${server}kit/`, '^packages/protocol/'] },
  },
  {
    name: 'clients-know-no-server',
    severity: error,
    comment: 'sdk/ and web/ import nothing of the server',
    from: { path: '^packages/(sdk|web)/', pathNot: testCode },
    to: { path: '^packages/server/' },
  },
  {
    name: 'protocol-knows-nobody',
    severity: error,
    comment: 'protocol/ imports nothing of ours',
    from: { path: '^packages/protocol/' },
    to: { path: '^(packages|tools|bench|examples)/', pathNot: '^packages/protocol/' },
  },
  {
    name: 'sdk-has-no-dependency',
    severity: error,
    comment: 'the SDK runs on the runtime alone: of the protocol it takes types, of the registry nothing',
    from: { path: '^packages/sdk/src/', pathNot: testCode },
    to: { path: ['(^|/)node_modules/', '^packages/protocol/'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'tests-stay-out',
    severity: error,
    comment: 'the service imports no test code',
    from: { path: server, pathNot: testCode },
    to: { path: testCode },
  },
  {
    name: 'no-cycle',
    severity: error,
    comment: 'files import each other in a circle',
    from: { path: '^(packages|tools|bench|examples)/' },
    to: { circular: true },
  },
  {
    name: 'resolves',
    severity: error,
    comment: 'the import resolves to nothing',
    from: { path: '^(packages|tools|bench|examples)/' },
    to: { couldNotResolve: true },
  },
]
