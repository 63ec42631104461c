import { isId } from '@gatehouse/protocol/ids'
import { parsePermissions } from '@gatehouse/protocol/permissions'
import type { Parameters } from '../parameters.ts'
import { Refusal } from './refusal.ts'

/** D23: the permissions that the bot's role is to carry; left out they are none (D68). Unknown bits are refused. */
export function checkPermissions(parameters: Parameters): bigint {
  const permissions = parsePermissions(parameters.get('permissions') ?? '0')
  if (permissions === undefined) {
    throw new Refusal('invalid_request', 'The permissions are a decimal number of known bits.')
  }
  return permissions
}

/** D23: the server that stands selected. */
export function checkServerId(parameters: Parameters): string | undefined {
  const id = parameters.get('server_id')
  if (id !== undefined && !isId(id)) throw new Refusal('invalid_request', 'The server_id is not an id.')
  return id
}
