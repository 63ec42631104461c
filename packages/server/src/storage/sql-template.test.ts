import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReadOnly } from './sql-template.ts'

test('isReadOnly returns true for statements that cannot change rows', () => {
  for (const text of [
    'SELECT 1',
    '  \n select id FROM a WHERE b = ?',
    '-- insert\n SELECT 1',
    '/* update */ SELECT 1',
    "SELECT 'DELETE FROM a'",
    'VALUES (1)',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'WITH RECURSIVE "delete" AS (SELECT 1 UNION SELECT ?) SELECT * FROM "delete"',
    "WITH a AS (SELECT ')' AS x), b AS (SELECT (1)) -- insert\n SELECT * FROM a, b",
  ]) {
    assert.equal(isReadOnly(text), true, text)
  }
})

test('isReadOnly returns false for all other statements', () => {
  for (const text of [
    'INSERT INTO a VALUES (?) RETURNING id',
    '-- select\n UPDATE a SET b = 1',
    'DELETE FROM a',
    'REPLACE INTO a VALUES (1)',
    'WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a',
    'WITH a AS (SELECT 1), c AS (SELECT 2) UPDATE b SET x = (SELECT 1)',
    'CREATE TABLE a AS SELECT 1',
    'PRAGMA optimize',
    'selection',
    '',
  ]) {
    assert.equal(isReadOnly(text), false, text)
  }
})
