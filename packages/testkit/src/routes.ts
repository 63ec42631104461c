import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose } from '../../server/src/compose.ts'
import { readConfig } from '../../server/src/config.ts'
import { createLogger } from '../../server/src/http/log.ts'
import type { Route } from '../../server/src/http/route.ts'

let routes: Promise<readonly Route[]> | undefined

/** The routes of the service, which is composed once with a temporary database and does not listen. */
export function readServiceRoutes(): Promise<readonly Route[]> {
  routes ??= composeRoutes()
  return routes
}

async function composeRoutes(): Promise<readonly Route[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-routes-'))
  try {
    const config = readConfig({ DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}` })
    const service = await compose(config, createLogger('silent'))
    await service.close()
    return service.routes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export type { Route }
