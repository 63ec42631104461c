import type { Route } from '../../http/route.ts'

/** D33: what has a token in its path answers under the versions of the compatible platform too. */
export function everyVersion(make: (base: string, tag: string) => Route[]): Route[] {
  return [
    ...make('/api/webhooks/:id/:token', 'Webhooks'),
    ...make('/api/v9/webhooks/:id/:token', 'Webhooks, version 9'),
    ...make('/api/v10/webhooks/:id/:token', 'Webhooks, version 10'),
  ]
}
