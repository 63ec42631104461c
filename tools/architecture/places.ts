/**
 * Where things are, as regular expressions over paths relative to the root. Both kinds of rule read them, so that a
 * folder has one spelling.
 */
export const server = '^packages/server/src/'

/** The folders of the server that hold a feature. */
export const features = ['oauth', 'applications', 'interactions', 'webhooks', 'gateway', 'operation']

export const featureNames = features.join('|')

/** Every feature but `name`. */
export function otherThan(name: string): string {
  return features.filter(feature => feature !== name).join('|')
}

/** A folder that is entered by its `index.ts` only: a feature, or a part of the platform. */
export const unit = `platform/[^/]+|${featureNames}`

/** What may know the web framework: it parses requests and shapes answers. */
export const edge = [
  `${server}http/`,
  `${server}(|.+/)routes/`,
  `${server}gateway/socket\\.ts$`,
  `${server}compose\\.ts$`,
]

/** Tests and what only tests import. */
export const testCode = '(\\.(test|fixture)\\.tsx?|/testing\\.ts)$'

/** A package of the registry, at whatever depth it was installed, or by its bare name where only types exist. */
export function npm(name: string): string {
  return `(^|node_modules/)(@types/)?${name}(/|$)`
}

export function matches(path: string, ...patterns: string[]): boolean {
  return patterns.some(pattern => new RegExp(pattern).test(path))
}
