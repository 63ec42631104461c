import type { IForbiddenRuleType } from 'dependency-cruiser'
import { edge, featureNames, npm, otherThan, server, testCode, unit, web, webFeatures } from './places.ts'

/** The packages of the web framework. */
const framework = [npm('fastify'), npm('@fastify/[^/]+'), npm('ws')]

const error = 'error' as const

/** The forbidden imports. `check-architecture.test.ts` fails if a rule has no test case that violates it. */
export const importRules: IForbiddenRuleType[] = [
  {
    name: 'framework-at-the-edge',
    severity: error,
    comment:
      'only http/, routes/, module.ts, gateway/socket.ts, core.ts and compose.ts may import fastify, @fastify/* and ws',
    from: { path: server, pathNot: [...edge, testCode] },
    to: { path: framework },
  },
  {
    name: 'framework-not-reached',
    severity: error,
    comment: 'operations must not import the web framework through other files, not even its types',
    // The command line imports everything because it starts the service. `framework-at-the-edge` still applies to it.
    from: { path: server, pathNot: [...edge, `${server}(main|cli)\\.ts$`, testCode] },
    to: { path: framework, reachable: true },
  },
  {
    name: 'engines-in-storage',
    severity: error,
    comment: 'only storage/ and the testkit may import node:sqlite and postgres',
    from: { path: '^packages/', pathNot: [`${server}storage/`, '^packages/testkit/'] },
    to: { path: ['^(node:)?sqlite$', npm('postgres')] },
  },
  {
    name: 'nats-in-the-bus',
    severity: error,
    comment: 'only bus/nats-connection.ts and bus/nats-kv.ts may import @nats-io/*',
    from: {
      path: '^packages/',
      pathNot: [`${server}bus/nats-(connection|kv)\\.ts$`, `${server}bus/[^/]+\\.test\\.ts$`],
    },
    to: { path: npm('@nats-io/[^/]+') },
  },
  {
    name: 'feature-by-index',
    severity: error,
    comment: 'other features may import only the index.ts of a feature',
    from: { path: `${server}(${unit})/` },
    to: {
      path: `${server}(?:${unit})/`,
      pathNot: [`${server}$1/`, `${server}(?:${unit})/index\\.ts$`, testCode],
    },
  },
  {
    name: 'feature-by-index-from-outside',
    severity: error,
    comment:
      'code outside the features may import only the index.ts of a feature; compose.ts and platform/module.ts have their own rules',
    from: {
      path: '^(packages|tools|bench|examples)/',
      pathNot: [`${server}(?:${unit})/`, `${server}(compose|platform/module)\\.ts$`],
    },
    to: { path: `${server}(?:${unit})/`, pathNot: [`${server}(?:${unit})/index\\.ts$`, testCode] },
  },
  {
    name: 'compose-imports-modules',
    severity: error,
    comment: 'compose.ts may import only index.ts, module.ts and gateway/socket.ts of a feature',
    from: { path: `${server}compose\\.ts$` },
    to: {
      path: `${server}(?:${unit})/`,
      pathNot: [
        `${server}(?:${unit})/index\\.ts$`,
        `${server}(?:${unit})/module\\.ts$`,
        `${server}gateway/socket\\.ts$`,
      ],
    },
  },
  {
    name: 'modules-by-compose',
    severity: error,
    comment: 'only compose.ts may import module.ts',
    from: { path: '^(packages|tools|bench|examples)/', pathNot: `${server}compose\\.ts$` },
    to: { path: `${server}(|.+/)module\\.ts$` },
  },
  {
    name: 'routes-by-modules',
    severity: error,
    comment: 'only module.ts may import routes/',
    from: { path: '^(packages|tools|bench|examples)/', pathNot: [`${server}(|.+/)module\\.ts$`, '/routes/'] },
    to: { path: `${server}(|.+/)routes/`, pathNot: testCode },
  },
  {
    name: 'routes-import-own-folder',
    severity: error,
    comment: 'a route must not import routes of another folder',
    from: { path: `${server}(.+)/routes/` },
    to: { path: `${server}(|.+/)routes/`, pathNot: [`${server}$1/routes/`, testCode] },
  },
  {
    name: 'platform-imports-no-feature',
    severity: error,
    comment: 'platform/ must not import features',
    from: { path: `${server}platform/` },
    to: { path: `${server}(${featureNames})/` },
  },
  {
    name: 'oauth-imports-no-upper-feature',
    severity: error,
    comment: 'oauth/ must not import interactions/, webhooks/ or gateway/',
    from: { path: `${server}oauth/` },
    to: { path: `${server}(interactions|webhooks|gateway)/` },
  },
  {
    name: 'webhooks-import-no-feature',
    severity: error,
    comment: 'webhooks/ must not import other features',
    from: { path: `${server}webhooks/` },
    to: { path: `${server}(${otherThan('webhooks')})/` },
  },
  {
    name: 'gateway-imports-no-feature',
    severity: error,
    comment: 'gateway/ must not import other features',
    from: { path: `${server}gateway/` },
    to: { path: `${server}(${otherThan('gateway')})/` },
  },
  {
    name: 'ports-import-no-feature',
    severity: error,
    comment: 'storage/, bus/, i18n/, mail/ and outgoing/ must not import the platform or features',
    from: { path: `${server}(storage|bus|i18n|mail|outgoing)/`, pathNot: testCode },
    to: { path: `${server}(platform|${featureNames})/` },
  },
  {
    name: 'kit-is-pure',
    severity: error,
    comment: 'kit/ may import only packages/protocol of this repository',
    from: { path: `${server}kit/`, pathNot: testCode },
    to: { path: '^(packages|tools|bench|examples)/', pathNot: [`${server}kit/`, '^packages/protocol/'] },
  },
  {
    name: 'clients-import-no-server',
    severity: error,
    comment: 'sdk/, web/ and gateway-client/ must not import the server',
    from: { path: '^packages/(sdk|web|gateway-client)/', pathNot: testCode },
    to: { path: '^packages/server/' },
  },
  {
    name: 'web-core-below-ui',
    severity: error,
    comment: 'web: core/ must not import other layers',
    from: { path: `${web}core/` },
    to: { path: `${web}(ui|features|shell)/` },
  },
  {
    name: 'web-ui-below-features',
    severity: error,
    comment: 'web: ui/ must not import features/ or shell/',
    from: { path: `${web}ui/` },
    to: { path: `${web}(features|shell)/` },
  },
  {
    name: 'web-features-below-shell',
    severity: error,
    comment: 'web: features/ must not import shell/',
    from: { path: `${web}features/` },
    to: { path: `${web}shell/` },
  },
  {
    name: 'web-feature-by-index',
    severity: error,
    comment: 'web: other code may import only the index.ts of a feature',
    from: { path: `${web}(?:features/([^/]+)|shell)/` },
    to: { path: `${web}features/`, pathNot: [`${web}features/$1/`, `${web}features/[^/]+/index\\.ts$`] },
  },
  ...Object.entries(webFeatures).map(([feature, imported]) => ({
    name: `web-imports-of-${feature}`,
    severity: error,
    comment: `web: features/${feature}/ may import ${imported.join(' and ') || 'no other feature'}`,
    from: { path: `${web}features/${feature}/` },
    to: { path: `${web}features/`, pathNot: `${web}features/(${[feature, ...imported].join('|')})/` },
  })),
  {
    name: 'web-layers',
    severity: error,
    comment: 'web: each file must be in core/, ui/, shell/ or a known feature',
    from: { path: web, pathNot: `${web}(core|ui|shell|features/(${Object.keys(webFeatures).join('|')}))/` },
    to: { path: `${web}(core|ui|shell|features)/` },
  },
  {
    name: 'protocol-imports-no-package',
    severity: error,
    comment: 'protocol/ must not import other packages of this repository',
    from: { path: '^packages/protocol/' },
    to: { path: '^(packages|tools|bench|examples)/', pathNot: '^packages/protocol/' },
  },
  {
    name: 'gateway-client-imports-protocol',
    severity: error,
    comment: 'gateway-client/ may import only the protocol',
    from: { path: '^packages/gateway-client/', pathNot: testCode },
    to: { path: '.', pathNot: '^packages/(protocol|gateway-client)/' },
  },
  {
    name: 'gateway-client-has-no-dependency',
    severity: error,
    comment:
      'gateway-client/ must not depend on npm packages, because it is bundled into the SDK and the web client',
    from: { path: '^packages/gateway-client/', pathNot: testCode },
    to: { path: '(^|/)node_modules/', reachable: true },
  },
  {
    name: 'sdk-has-no-dependency',
    severity: error,
    comment: 'the SDK has no dependencies; it may import types of the protocol',
    from: { path: '^packages/sdk/src/', pathNot: testCode },
    to: { path: ['(^|/)node_modules/', '^packages/protocol/'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'service-imports-no-test-code',
    severity: error,
    comment: 'the service must not import test code',
    from: { path: server, pathNot: testCode },
    to: { path: testCode },
  },
  {
    name: 'no-cycle',
    severity: error,
    comment: 'import cycle',
    from: { path: '^(packages|tools|bench|examples)/' },
    to: { circular: true },
  },
  {
    name: 'resolves',
    severity: error,
    comment: 'the import cannot be resolved',
    from: { path: '^(packages|tools|bench|examples)/' },
    to: { couldNotResolve: true },
  },
]
