import type { IForbiddenRuleType } from 'dependency-cruiser'
import { edge, featureNames, npm, otherThan, server, testCode, unit, web, webFeatures } from './folders.ts'

/** The packages of the web framework. */
const framework = [npm('fastify'), npm('@fastify/[^/]+'), npm('ws')]

/** Code that the service loads for the first request of a page or document of the API. */
const onDemand = [`${server}operation/docs/`, `${server}http/openapi/`]

const rules: IForbiddenRuleType[] = [
  {
    name: 'framework-at-the-edge',
    comment:
      'only http/, routes/, module.ts, gateway/socket.ts, core.ts and compose.ts may import fastify, @fastify/* and ws',
    from: { path: server, pathNot: [...edge, testCode] },
    to: { path: framework },
  },
  {
    name: 'framework-not-reached',
    comment: 'operations must not import the web framework through other files, not even its types',
    // The command line imports everything because it starts the service. `framework-at-the-edge` still applies to it.
    from: { path: server, pathNot: [...edge, `${server}(main|cli|commands)\\.ts$`, testCode] },
    to: { path: framework, reachable: true },
  },
  {
    name: 'engines-in-storage',
    comment: 'only storage/ and the testkit may import node:sqlite and postgres',
    from: { path: '^packages/', pathNot: [`${server}storage/`, '^packages/testkit/'] },
    to: { path: ['^(node:)?sqlite$', npm('postgres')] },
  },
  {
    name: 'nats-in-the-bus',
    comment: 'only bus/nats-connection.ts and bus/nats-kv.ts may import @nats-io/*',
    from: {
      path: '^packages/',
      pathNot: [`${server}bus/nats-(connection|kv)\\.ts$`, `${server}bus/[^/]+\\.test\\.ts$`],
    },
    to: { path: npm('@nats-io/[^/]+') },
  },
  {
    name: 'feature-by-index',
    comment: 'other features may import only the index.ts of a feature',
    from: { path: `${server}(${unit})/` },
    to: {
      path: `${server}(?:${unit})/`,
      pathNot: [`${server}$1/`, `${server}(?:${unit})/index\\.ts$`, testCode],
    },
  },
  {
    name: 'feature-by-index-from-outside',
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
    comment: 'only compose.ts may import module.ts',
    from: { path: '^(packages|tools|bench|examples)/', pathNot: `${server}compose\\.ts$` },
    to: { path: `${server}(|.+/)module\\.ts$` },
  },
  {
    name: 'routes-by-modules',
    comment: 'only module.ts may import routes/',
    from: { path: '^(packages|tools|bench|examples)/', pathNot: [`${server}(|.+/)module\\.ts$`, '/routes/'] },
    to: { path: `${server}(|.+/)routes/`, pathNot: testCode },
  },
  {
    name: 'routes-import-own-folder',
    comment: 'a route must not import routes of another folder',
    from: { path: `${server}(.+)/routes/` },
    to: { path: `${server}(|.+/)routes/`, pathNot: [`${server}$1/routes/`, testCode] },
  },
  {
    name: 'platform-imports-no-feature',
    comment: 'platform/ must not import features',
    from: { path: `${server}platform/` },
    to: { path: `${server}(${featureNames})/` },
  },
  {
    name: 'oauth-imports-no-upper-feature',
    comment: 'oauth/ must not import interactions/, webhooks/ or gateway/',
    from: { path: `${server}oauth/` },
    to: { path: `${server}(interactions|webhooks|gateway)/` },
  },
  {
    name: 'webhooks-import-no-feature',
    comment: 'webhooks/ must not import other features',
    from: { path: `${server}webhooks/` },
    to: { path: `${server}(${otherThan('webhooks')})/` },
  },
  {
    name: 'gateway-imports-no-feature',
    comment: 'gateway/ must not import other features',
    from: { path: `${server}gateway/` },
    to: { path: `${server}(${otherThan('gateway')})/` },
  },
  {
    name: 'ports-import-no-feature',
    comment:
      'storage/, bus/, i18n/, mail/, outgoing/ and rate-limits/ must not import the platform or features',
    from: { path: `${server}(storage|bus|i18n|mail|outgoing|rate-limits)/`, pathNot: testCode },
    to: { path: `${server}(platform|${featureNames})/` },
  },
  {
    name: 'kit-is-pure',
    comment: 'kit/ may import only packages/protocol of this repository',
    from: { path: `${server}kit/`, pathNot: testCode },
    to: { path: '^(packages|tools|bench|examples)/', pathNot: [`${server}kit/`, '^packages/protocol/'] },
  },
  {
    name: 'clients-import-no-server',
    comment: 'sdk/, web/ and gateway-client/ must not import the server',
    from: { path: '^packages/(sdk|web|gateway-client)/', pathNot: testCode },
    to: { path: '^packages/server/' },
  },
  {
    name: 'web-core-below-ui',
    comment: 'web: core/ must not import other layers',
    from: { path: `${web}core/` },
    to: { path: `${web}(ui|features|shell)/` },
  },
  {
    name: 'web-ui-below-features',
    comment: 'web: ui/ must not import features/ or shell/',
    from: { path: `${web}ui/` },
    to: { path: `${web}(features|shell)/` },
  },
  {
    name: 'web-features-below-shell',
    comment: 'web: features/ must not import shell/',
    from: { path: `${web}features/` },
    to: { path: `${web}shell/` },
  },
  {
    name: 'web-feature-by-index',
    comment: 'web: other code may import only the index.ts of a feature',
    from: { path: `${web}(?:features/([^/]+)|shell)/` },
    to: { path: `${web}features/`, pathNot: [`${web}features/$1/`, `${web}features/[^/]+/index\\.ts$`] },
  },
  ...Object.entries(webFeatures).map(([feature, imported]) => ({
    name: `web-imports-of-${feature}`,
    comment: `web: features/${feature}/ may import ${imported.join(' and ') || 'no other feature'}`,
    from: { path: `${web}features/${feature}/` },
    to: { path: `${web}features/`, pathNot: `${web}features/(${[feature, ...imported].join('|')})/` },
  })),
  {
    name: 'web-layers',
    comment: 'web: each file must be in core/, ui/, shell/ or a known feature',
    from: { path: web, pathNot: `${web}(core|ui|shell|features/(${Object.keys(webFeatures).join('|')}))/` },
    to: { path: `${web}(core|ui|shell|features)/` },
  },
  {
    name: 'protocol-imports-no-package',
    comment: 'protocol/ must not import other packages of this repository',
    from: { path: '^packages/protocol/' },
    to: { path: '^(packages|tools|bench|examples)/', pathNot: '^packages/protocol/' },
  },
  {
    name: 'gateway-client-imports-protocol',
    comment: 'gateway-client/ may import only the protocol',
    from: { path: '^packages/gateway-client/', pathNot: testCode },
    to: { path: '.', pathNot: '^packages/(protocol|gateway-client)/' },
  },
  {
    name: 'gateway-client-has-no-dependency',
    comment:
      'gateway-client/ must not depend on npm packages, because it is bundled into the SDK and the web client',
    from: { path: '^packages/gateway-client/', pathNot: testCode },
    to: { path: '(^|/)node_modules/', reachable: true },
  },
  {
    name: 'sdk-has-no-dependency',
    comment: 'the SDK has no dependencies except ws, which it bundles; it may import types of the protocol',
    from: { path: '^packages/sdk/src/', pathNot: testCode },
    to: {
      path: ['(^|/)node_modules/', '^packages/protocol/'],
      pathNot: '(^|/)node_modules/ws/',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'documents-on-demand',
    comment:
      'the pages below /docs, the API documents and the Markdown parser must be imported dynamically, because few services need them',
    from: { path: server, pathNot: [...onDemand, testCode] },
    to: {
      path: [...onDemand, npm('mdast-util-from-markdown')],
      dynamic: false,
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'service-imports-no-test-code',
    comment: 'the service must not import test code',
    from: { path: server, pathNot: testCode },
    to: { path: testCode },
  },
  {
    name: 'no-cycle',
    comment: 'import cycle',
    from: { path: '^(packages|tools|bench|examples)/' },
    to: { circular: true },
  },
  {
    name: 'resolves',
    comment: 'the import cannot be resolved',
    from: { path: '^(packages|tools|bench|examples)/' },
    to: { couldNotResolve: true },
  },
]

/** The forbidden imports. `check-architecture.test.ts` fails if a rule has no test case that violates it. */
export const importRules: IForbiddenRuleType[] = rules.map(rule => ({ severity: 'error', ...rule }))
