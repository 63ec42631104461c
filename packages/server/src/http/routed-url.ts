import { withoutApiVersion } from './api-version.ts'

/**
 * The URL by which a request is routed. Clients may encode the `@` of `@me` and `@original`; the router decodes it only
 * in parameters. No other escape changes, and none is decoded twice: `@` is no part of an escape.
 */
export function routedUrl(url: string): string {
  const target = url
    // A client appends the well-known path to the issuer, which some have with a trailing slash
    // (sign-in/issuer-with-slash).
    .replace(/^\/\/(?=\.well-known\/)/, '/')
    .replace(/^[^?#]*/, path => path.replaceAll('%40', '@'))
  return withoutApiVersion(target)
}
