import type { BindingState, ServerBinding, ServerBindingInput } from '@gatehouse/protocol/applications'
import { has, Permission, permissionFor } from '@gatehouse/protocol/permissions'
import slugify from '@sindresorhus/slugify'
import { afterMemberTimeOuts, findServerAccess, requireServer } from '../community/permissions/index.ts'
import { listRoles } from '../community/roles/index.ts'
import { findServer } from '../community/servers/index.ts'
import { type FieldError, invalid, invalidAll } from '../errors/app-error.ts'
import type { Sql } from '../storage/database.ts'
import type { ApplicationRecord, BindingRecord } from './application-store.ts'

/** Claims that have another meaning: those of ID tokens and userinfo, and of JWTs (RFC 7519 §4.1). */
const reservedClaims = new Set(
  (
    'iss sub aud exp nbf iat jti auth_time acr amr azp nonce at_hash c_hash sid ' +
    'preferred_username name picture email email_verified groups'
  ).split(' '),
)

/**
 * The binding that `input` describes (sign-in/server-binding). Throws 404 if the owner of the application is not a
 * member of the server, 403 `missing_permission` without MANAGE_SERVER there, and 400 for a role that is not of the
 * server, is @everyone, or belongs to a bot.
 */
export async function readServerBinding(
  sql: Sql,
  now: number,
  ownerId: string,
  { id, membersOnly = false, requiredRoles = [], groups = [], groupsClaim = null }: ServerBindingInput,
): Promise<ServerBinding> {
  await requireServer(sql, now, ownerId, id, Permission.MANAGE_SERVER)
  if (groupsClaim !== null && reservedClaims.has(groupsClaim)) {
    throw invalid('server.groupsClaim', 'invalid_choice', 'must not be a claim that has another meaning')
  }
  const roles = new Map((await listRoles(sql, id)).map(role => [role.id, role]))
  function check(ids: readonly string[], toPath: (index: number) => string): FieldError[] {
    return ids.flatMap((roleId, index): FieldError[] => {
      const role = roles.get(roleId)
      if (role === undefined || role.id === id || role.botId !== null) {
        const message = 'must be a role of the server, not @everyone nor the role of a bot'
        return [{ path: toPath(index), code: 'invalid_choice', message }]
      }
      const message = 'must differ from every other entry'
      return ids.indexOf(roleId) < index ? [{ path: toPath(index), code: 'duplicate', message }] : []
    })
  }
  const groupIds = groups.map(({ roleId }) => roleId)
  const errors = [
    ...check(requiredRoles, index => `server.requiredRoles[${index}]`),
    ...check(groupIds, index => `server.groups[${index}].roleId`),
  ]
  if (errors.length > 0) throw invalidAll(errors)
  return {
    id,
    membersOnly,
    requiredRoles: [...requiredRoles],
    groups: groups.map(({ roleId, value }) => ({
      roleId,
      value: value ?? toGroup(roleId, roles.get(roleId)?.name),
    })),
    groupsClaim,
  }
}

/**
 * Whether the server admits its members and sends groups, and why not. It does while the owner of the application may
 * manage it, whatever time-out they have, or while its owner is the one who lets the application stay bound. Undefined
 * without a binding too.
 */
export async function findBindingState(
  sql: Sql,
  { ownerId, server }: Pick<ApplicationRecord, 'ownerId' | 'server'>,
): Promise<BindingState | undefined> {
  if (server === null) return undefined
  if (server.ended) return 'ended'
  const owner = await findServerAccess(sql, afterMemberTimeOuts, ownerId, server.id)
  if (owner && has(owner.permissions, permissionFor.changeServer)) return undefined
  const isKept = server.keptBy !== undefined && (await findServer(sql, server.id))?.ownerId === server.keptBy
  return isKept ? 'kept' : 'suspended'
}

/** The binding as the owner of the application sees it. */
export async function toServerBinding(
  sql: Sql,
  application: Pick<ApplicationRecord, 'ownerId' | 'server'>,
): Promise<ServerBinding | null> {
  if (application.server === null) return null
  const state = await findBindingState(sql, application)
  const { keptBy: _keptBy, ended: _ended, ...binding } = application.server
  return { ...binding, ...(state ? { state } : {}) }
}

/** An application for members must not be open to everybody because the binding has ended, so it admits nobody. */
export function endBinding({ id, membersOnly }: BindingRecord): BindingRecord {
  return { id, membersOnly, requiredRoles: [], groups: [], groupsClaim: null, ended: true }
}

/** A group of the name of a role; the id of the role if no character of the name remains. */
function toGroup(roleId: string, name = ''): string {
  return slugify(name).slice(0, 64) || roleId
}
