import { isId } from '@gatehouse/protocol/ids'
import { type ApplicationRecord, findApplication } from '../../applications/index.ts'
import type { Sql } from '../../storage/database.ts'
import type { Parameters } from '../parameters.ts'
import { dead } from './refusal.ts'

/** RFC 6749 §4.1.2.1: without a known client nobody knows where to send an error. */
export async function findClient(sql: Sql, parameters: Parameters): Promise<ApplicationRecord> {
  const id = parameters.get('client_id')
  if (id === undefined) throw dead('The link that led here does not say which application it is for.')
  if (parameters.isRepeated('client_id')) throw dead('The link that led here names its application twice.')
  const client = isId(id) ? await findApplication(sql, id) : undefined
  if (!client) throw dead('The link that led here is for an application that does not exist.')
  return client
}
