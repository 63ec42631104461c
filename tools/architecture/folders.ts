/** Regular expressions for paths relative to the root, for the import rules and the source rules. */
export const server = '^packages/server/src/'

/** The feature folders of the server. */
export const features = ['oauth', 'applications', 'interactions', 'webhooks', 'gateway', 'operation']

const featureNames = features.join('|')

/** All features except `name`. */
export function otherThan(name: string): string[] {
  return features.filter(feature => feature !== name)
}

/** Folders that other code imports through their `index.ts`: features, and parts of the platform. */
export const unit = `platform/[^/]+|${featureNames}`

export const web = '^packages/web/src/'

/** The features of the web client, each with the features that it may import. */
export const webFeatures: Readonly<Record<string, readonly string[]>> = {
  commands: [],
  servers: [],
  chat: ['commands', 'servers'],
  settings: ['servers'],
  console: ['chat', 'commands'],
}

/** The files that may import the web framework. */
export const edge = [
  `${server}http/`,
  `${server}(|.+/)routes/`,
  `${server}gateway/socket\\.ts$`,
  `${server}(|.+/)module\\.ts$`,
  `${server}(compose|core)\\.ts$`,
]

/** Tests and files that only tests import. */
export const testCode = '(\\.(test|fixture)\\.tsx?|/testing\\.ts)$|^packages/testkit/'

/** Matches an npm package at any depth of node_modules, its `@types` package, and its bare name. */
export function npm(name: string): string {
  return `(^|node_modules/)(@types/)?${name}(/|$)`
}

export function matches(path: string, ...patterns: string[]): boolean {
  return patterns.some(pattern => new RegExp(pattern).test(path))
}
