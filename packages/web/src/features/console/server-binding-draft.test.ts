import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Application } from '@gatehouse/protocol/applications'
import { isSameDraft, toChanges, toDraft } from './server-binding-draft.ts'

const server = {
  id: '7',
  membersOnly: true,
  requiredRoles: ['1', '2'],
  groups: [
    { roleId: '1', value: 'pilots' },
    { roleId: '2', value: 'keepers' },
  ],
  groupsClaim: 'roles',
}
const settings: Pick<Application, 'server' | 'addedScopes'> = { server, addedScopes: ['email', 'groups'] }

test('a draft that is not edited saves what is saved', () => {
  assert.deepEqual(toChanges(toDraft(settings), settings), settings)
  const unbound = { server: null, addedScopes: [] }
  assert.deepEqual(toChanges(toDraft(unbound), unbound), unbound)
})

test('an empty group is made by the service, and an empty claim is none', () => {
  const groups = [
    { roleId: '1', value: ' ' },
    { roleId: '2', value: ' keepers ' },
  ]
  const changes = toChanges({ ...toDraft(settings), groups, groupsClaim: ' ' }, settings)
  assert.deepEqual(changes.server, {
    ...server,
    groups: [{ roleId: '1' }, { roleId: '2', value: 'keepers' }],
    groupsClaim: null,
  })
})

test('the scope groups is added only with groups, and the other added scopes stay (sign-in/added-scopes)', () => {
  const draft = toDraft(settings)
  assert.deepEqual(toChanges({ ...draft, groups: [] }, settings).addedScopes, ['email'])
  assert.deepEqual(toChanges({ ...draft, addGroups: false }, settings).addedScopes, ['email'])
  assert.deepEqual(toChanges({ ...draft, serverId: '' }, settings), { server: null, addedScopes: ['email'] })
})

test('the order of the roles is no change, and each other edit is one', () => {
  const draft = toDraft(settings)
  const { requiredRoles, groups } = draft
  const reversed = { requiredRoles: requiredRoles.toReversed(), groups: groups.toReversed() }
  assert.ok(isSameDraft(draft, { ...draft, ...reversed }))
  const edits = [
    { serverId: '8' },
    { membersOnly: false },
    { requiredRoles: ['1'] },
    { groups: groups.with(0, { roleId: '1', value: '' }) },
    { groupsClaim: '' },
    { addGroups: false },
  ]
  for (const edit of edits) assert.ok(!isSameDraft(draft, { ...draft, ...edit }), JSON.stringify(edit))
})
