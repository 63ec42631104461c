import type {
  IForbiddenRuleType,
  IReachabilityForbiddenRuleType,
  IRegularForbiddenRuleType,
} from 'dependency-cruiser'
import { edge, features, npm, otherThan, server, testCode, unit, web, webFeatures } from './folders.ts'

/** The packages of the web framework. */
const framework = [npm('fastify'), npm('@fastify/[^/]+'), npm('ws')]

/** Code that the service loads for the first request of a page or document of the API. */
const onDemand = [`${server}operation/docs/`, `${server}http/openapi/`]

/** The packages and folders of this repository. */
const own = '^(packages|tools|bench|examples)/'

/** A feature, or a part of the platform. */
const inUnit = `${server}(?:${unit})/`
const index = `${inUnit}index\\.ts$`

/** Folders, each with the folders beside it that it must not import. */
const lowerFolders: [layers: string, folder: string, others: string[]][] = [
  [server, 'platform', features],
  [server, 'oauth', ['interactions', 'webhooks', 'gateway']],
  [server, 'webhooks', otherThan('webhooks')],
  [server, 'gateway', otherThan('gateway')],
  [web, 'core', ['ui', 'features', 'shell']],
  [web, 'ui', ['features', 'shell']],
  [web, 'features', ['shell']],
]

type Rule = Omit<IRegularForbiddenRuleType, 'name'> | Omit<IReachabilityForbiddenRuleType, 'name'>

/** The forbidden imports. `check-architecture.test.ts` fails if a rule has no test case that violates it. */
const rules: Record<string, Rule> = {
  'framework-at-the-edge': {
    comment:
      'only http/, routes/, module.ts, gateway/connection/socket.ts, core.ts and compose.ts may import fastify, @fastify/* and ws',
    from: { path: server, pathNot: [...edge, testCode] },
    to: { path: framework },
  },
  'framework-not-reached': {
    comment: 'operations must not import the web framework through other files, not even its types',
    // The command line imports everything because it starts the service. `framework-at-the-edge` still applies to it.
    from: { path: server, pathNot: [...edge, `${server}(main|cli|commands|doctor)\\.ts$`, testCode] },
    to: { path: framework, reachable: true },
  },
  'engines-in-storage': {
    comment: 'only storage/ and the testkit may import node:sqlite and postgres',
    from: { path: '^packages/', pathNot: [`${server}storage/`, '^packages/testkit/'] },
    to: { path: ['^(node:)?sqlite$', npm('postgres')] },
  },
  'nats-in-the-bus': {
    comment: 'only bus/nats/nats-connection.ts and bus/nats/nats-kv.ts may import @nats-io/*',
    from: {
      path: '^packages/',
      pathNot: [`${server}bus/nats-(connection|kv)\\.ts$`, `${server}bus/[^/]+\\.test\\.ts$`],
    },
    to: { path: npm('@nats-io/[^/]+') },
  },
  'feature-by-index': {
    comment: 'other features may import only the index.ts of a feature',
    from: { path: `${server}(${unit})/` },
    to: { path: inUnit, pathNot: [`${server}$1/`, index, testCode] },
  },
  'feature-by-index-from-outside': {
    comment:
      'code outside the features may import only the index.ts of a feature; compose.ts and platform-module.ts have their own rules',
    from: { path: own, pathNot: [inUnit, `${server}(compose|platform/module)\\.ts$`] },
    to: { path: inUnit, pathNot: [index, testCode] },
  },
  'compose-imports-modules': {
    comment: 'compose.ts may import only index.ts, module.ts and gateway/connection/socket.ts of a feature',
    from: { path: `${server}compose\\.ts$` },
    to: { path: inUnit, pathNot: [index, `${inUnit}module\\.ts$`, `${server}gateway/socket\\.ts$`] },
  },
  'modules-by-compose': {
    comment: 'only compose.ts may import module.ts',
    from: { path: own, pathNot: `${server}compose\\.ts$` },
    to: { path: `${server}(|.+/)module\\.ts$` },
  },
  'routes-by-modules': {
    comment: 'only module.ts may import routes/',
    from: { path: own, pathNot: [`${server}(|.+/)module\\.ts$`, '/routes/'] },
    to: { path: `${server}(|.+/)routes/`, pathNot: testCode },
  },
  'routes-import-own-folder': {
    comment: 'a route must not import routes of another folder',
    from: { path: `${server}(.+)/routes/` },
    to: { path: `${server}(|.+/)routes/`, pathNot: [`${server}$1/routes/`, testCode] },
  },
  ...Object.fromEntries(
    lowerFolders.map(([layers, folder, others]) => [
      `imports-of-${folder}`,
      {
        comment: `${folder}/ must not import ${others.join('/, ')}/`,
        from: { path: `${layers}${folder}/` },
        to: { path: `${layers}(${others.join('|')})/` },
      },
    ]),
  ),
  'ports-import-no-feature': {
    comment:
      'storage/, bus/, i18n/, mail/, outgoing/ and rate-limits/ must not import the platform or features',
    from: { path: `${server}(storage|bus|i18n|mail|outgoing|rate-limits)/`, pathNot: testCode },
    to: { path: `${server}(platform|${features.join('|')})/` },
  },
  'kit-is-pure': {
    comment: 'kit/ may import only packages/protocol of this repository',
    from: { path: `${server}kit/`, pathNot: testCode },
    to: { path: own, pathNot: [`${server}kit/`, '^packages/protocol/'] },
  },
  'clients-import-no-server': {
    comment: 'sdk/, web/ and gateway-client/ must not import the server',
    from: { path: '^packages/(bot|web|gateway-client)/', pathNot: testCode },
    to: { path: '^packages/server/' },
  },
  'web-feature-by-index': {
    comment: 'web: other code may import only the index.ts of a feature',
    from: { path: `${web}(?:features/([^/]+)|shell)/` },
    to: { path: `${web}features/`, pathNot: [`${web}features/$1/`, `${web}features/[^/]+/index\\.ts$`] },
  },
  ...Object.fromEntries(
    Object.entries(webFeatures).map(([feature, imported]) => [
      `web-imports-of-${feature}`,
      {
        comment: `web: features/${feature}/ may import ${imported.join(' and ') || 'no other feature'}`,
        from: { path: `${web}features/${feature}/` },
        to: { path: `${web}features/`, pathNot: `${web}features/(${[feature, ...imported].join('|')})/` },
      },
    ]),
  ),
  'web-layers': {
    comment: 'web: each file must be in core/, ui/, shell/ or a known feature',
    from: { path: web, pathNot: `${web}(core|ui|shell|features/(${Object.keys(webFeatures).join('|')}))/` },
    to: { path: `${web}(core|ui|shell|features)/` },
  },
  'protocol-imports-no-package': {
    comment: 'protocol/ must not import other packages of this repository',
    from: { path: '^packages/protocol/' },
    to: { path: own, pathNot: '^packages/protocol/' },
  },
  'gateway-client-imports-protocol': {
    comment: 'gateway-client/ may import only the protocol',
    from: { path: '^packages/gateway-client/', pathNot: testCode },
    to: { path: '.', pathNot: '^packages/(protocol|gateway-client)/' },
  },
  'gateway-client-has-no-dependency': {
    comment:
      'gateway-client/ must not depend on npm packages, because it is bundled into the SDK and the web client',
    from: { path: '^packages/gateway-client/', pathNot: testCode },
    to: { path: '(^|/)node_modules/', reachable: true },
  },
  'sdk-has-no-dependency': {
    comment: 'the SDK has no dependencies except ws and the protocol, which it bundles',
    from: { path: '^packages/bot/src/', pathNot: testCode },
    to: {
      path: '(^|/)node_modules/',
      pathNot: '(^|/)node_modules/ws/',
      dependencyTypesNot: ['type-only'],
    },
  },
  'documents-on-demand': {
    comment:
      'the pages below /docs, the API documents and the Markdown parser must be imported dynamically, because few services need them',
    from: { path: server, pathNot: [...onDemand, testCode] },
    to: {
      path: [...onDemand, npm('mdast-util-from-markdown')],
      dynamic: false,
      dependencyTypesNot: ['type-only'],
    },
  },
  'service-imports-no-test-code': {
    comment: 'the service must not import test code',
    from: { path: server, pathNot: testCode },
    to: { path: testCode },
  },
  'no-cycle': { comment: 'import cycle', from: { path: own }, to: { circular: true } },
  resolves: { comment: 'the import cannot be resolved', from: { path: own }, to: { couldNotResolve: true } },
}

export const importRules = Object.entries(rules).map(
  ([name, rule]): IForbiddenRuleType => ({ severity: 'error', name, ...rule }),
)
