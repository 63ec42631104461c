import type { Route } from '../../../http/route.ts'
import type { Sql } from '../../../storage/database.ts'
import { imageRoute } from './image.ts'

export function imageRoutes(deps: { db: Sql }): Route[] {
  return [imageRoute(deps)]
}
