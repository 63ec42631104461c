// Owns the reference of the API: the OpenAPI and AsyncAPI documents, and the pages below `/docs`.
// Does not own: the routes, which declare what the documents say (http/openapi/).
import type { Module } from '../events/module.ts'
import type { Pages } from '../http/html-pages.ts'
import type { Route } from '../http/route.ts'
import { asyncapiRoute } from './asyncapi-routes.ts'
import { docsRoutes } from './docs-routes.ts'
import { openapiRoute } from './openapi-routes.ts'

interface ApiReferenceDeps {
  baseUrl: string
  pages: Pages
  /** The routes of all other modules. */
  routes: readonly Route[]
}

export function createApiReferenceModule({ baseUrl, pages, routes }: ApiReferenceDeps): Module<null> {
  const allRoutes = () => [...routes, ...ownRoutes]
  const ownRoutes: Route[] = [
    asyncapiRoute({ baseUrl }),
    openapiRoute({ routes: allRoutes, baseUrl }),
    ...docsRoutes({ pages, routes: allRoutes, baseUrl }),
  ]
  return { api: null, routes: ownRoutes }
}
