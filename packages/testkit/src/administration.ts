import assert from 'node:assert/strict'
import { register, type TestUser } from './community.ts'
import type { TestService } from './service.ts'

/** An administrator, who has just signed in. */
export async function createOperator(service: TestService, password?: string): Promise<TestUser> {
  const operator = await register(service, 'operator', password)
  await service.db.run`UPDATE users SET administrator = 1 WHERE id = ${operator.id}`
  return operator
}

export async function setDisabled(
  operator: TestUser,
  { id }: Pick<TestUser, 'id'>,
  disabled: boolean,
): Promise<void> {
  const reply = await operator.client.json('PATCH', `/api/admin/users/${id}`, { disabled })
  assert.deepEqual([reply.status, reply.body.disabledAt !== null], [200, disabled], reply.text)
}
