import { AppError } from '../../kit/app-error.ts'
import type { Sql } from '../../storage/database.ts'
import { fromQuery } from '../parameters.ts'
import { formActionOf } from '../redirect-uri.ts'
import { readTarget } from './request.ts'

/**
 * What the `form-action` of a page must let through, whose form leads to `path` of this service (D24): a sign-in can end
 * in the redirect of an application at once. Nothing where the path is not of an authorization request.
 */
export async function formActionsOf(sql: Sql, path: string): Promise<string[]> {
  if (!path.startsWith('/oauth2/authorize?')) return []
  try {
    const { redirectUri } = await readTarget(sql, fromQuery(path))
    return redirectUri === undefined ? [] : [formActionOf(redirectUri)]
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
