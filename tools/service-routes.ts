import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose } from '../packages/server/src/compose.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { createLogger } from '../packages/server/src/http/log.ts'
import type { Route } from '../packages/server/src/http/route.ts'

/** Composes the service with a temporary database, without listening, and returns its routes. */
export async function readServiceRoutes(): Promise<readonly Route[]> {
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
