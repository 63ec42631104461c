import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  has,
  Permission,
  parsePermissions,
  permissionNames,
  readPermissions,
} from './permissions.ts'

test('the bits match the specification', () => {
  const bits = Object.fromEntries(
    Object.entries(Permission).map(([name, bit]) => [name, Math.log2(Number(bit))]),
  )
  assert.deepEqual(bits, {
    KICK_MEMBERS: 1,
    BAN_MEMBERS: 2,
    ADMINISTRATOR: 3,
    MANAGE_CHANNELS: 4,
    MANAGE_SERVER: 5,
    VIEW_CHANNEL: 10,
    SEND_MESSAGES: 11,
    MANAGE_MESSAGES: 13,
    EMBED_LINKS: 14,
    MENTION_EVERYONE: 17,
    MANAGE_ROLES: 28,
    MANAGE_WEBHOOKS: 29,
    USE_COMMANDS: 31,
    MODERATE_MEMBERS: 40,
  })
})

test('@everyone can view channels, send messages, embed links and use commands by default', () => {
  assert.deepEqual(permissionNames(defaultEveryone), [
    'VIEW_CHANNEL',
    'SEND_MESSAGES',
    'EMBED_LINKS',
    'USE_COMMANDS',
  ])
})

test('parsing a formatted set of known bits returns the same set', () => {
  fc.assert(
    fc.property(fc.subarray(Object.values(Permission)), bits => {
      const set = bits.reduce((sum, bit) => sum | bit, 0n)
      assert.equal(parsePermissions(formatPermissions(set)), set)
    }),
  )
})

test('unknown bits and strings other than decimal numbers are rejected', () => {
  const bad = [
    '1',
    '64',
    `${allPermissions + 1n}`,
    `${1n << 32n}`,
    `${1n << 64n}`,
    '',
    '-2',
    '02',
    '0x2',
    '2.0',
    ' 2',
    '1e3',
    '٢',
  ]
  for (const text of bad) assert.equal(parsePermissions(text), undefined, text)
  assert.equal(parsePermissions('0'), 0n)
  assert.equal(parsePermissions(`${allPermissions}`), allPermissions)
})

test('a set that the service sent keeps its unknown bits', () => {
  const set = Permission.KICK_MEMBERS | (1n << 50n)
  assert.equal(readPermissions(`${set}`), set)
  assert.deepEqual(permissionNames(readPermissions(`${set}`)), ['KICK_MEMBERS'])
  for (const text of ['', '-2', '02', '0x2', '1e3']) assert.equal(readPermissions(text), 0n, text)
})

test('has requires every bit and does not treat ADMINISTRATOR specially', () => {
  const both = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
  assert.equal(has(defaultEveryone, both), true)
  assert.equal(has(Permission.VIEW_CHANNEL, both), false)
  assert.equal(has(Permission.ADMINISTRATOR, Permission.VIEW_CHANNEL), false)
  assert.equal(has(0n, 0n), true)
})
