import ts from 'typescript'
import { matches, server } from './folders.ts'
import type { SourceFile } from './source-files.ts'
import { statementOf } from './sql.ts'

/** The folder of each table, whose stores alone write it. A view of a table belongs to the same folder. */
const tables: Readonly<Record<string, readonly string[]>> = {
  storage: ['nodes', 'secret_key_check'],
  platform: [
    'users',
    'former_usernames',
    'sessions',
    'mail_tokens',
    'images',
    'servers',
    'roles',
    'members',
    'member_roles',
    'bans',
    'timeouts',
    'channels',
    'dm_members',
    'overwrites',
    'invites',
    'messages',
    'mentions',
    'read_marks',
    'passkeys',
    'authenticator_apps',
    'recovery_codes',
    'mfa_tickets',
    'used_challenges',
  ],
  applications: ['applications', 'integrations', 'commands', 'command_overrides', 'valid_command_overrides'],
  oauth: [
    'oauth_consents',
    'valid_consents',
    'oauth_grants',
    'valid_grants',
    'grant_revocations',
    'oauth_used_refresh_tokens',
    'oauth_signing_keys',
    'oauth_sign_ins',
  ],
  interactions: ['interactions'],
  webhooks: ['webhooks', 'webhook_deliveries'],
}

/** The folders whose tables a statement of a folder may read. They are among those that the folder may import. */
const readable: Readonly<Record<string, readonly string[]>> = {
  storage: [],
  platform: [],
  applications: ['platform'],
  oauth: ['platform', 'applications'],
  interactions: ['platform', 'applications'],
  webhooks: ['platform'],
}

const owners = new Map(
  Object.entries(tables).flatMap(([folder, names]) => names.map(name => [name, folder] as const)),
)

const written = /\b(?:INSERT INTO|DELETE FROM|UPDATE(?! SET\b))\s+(\w+)/g
const read = /\b(?:(?<!DELETE )FROM|JOIN)\s+(\w+)/g

/** Finds a statement that writes a table of another folder, or reads one of a folder that it may not import. */
export function findForeignTable(node: ts.Node, { path }: SourceFile): string | undefined {
  const folder = Object.keys(tables).find(name => matches(path, `${server}${name}/`))
  const text = ts.isTaggedTemplateExpression(node) ? statementOf(node) : undefined
  if (folder === undefined || text === undefined) return undefined
  for (const [, name = ''] of text.matchAll(written)) {
    const owner: string | undefined = owners.get(name)
    if (owner !== folder) return `${folder}/ must not write ${name}, a table of ${owner ?? 'no folder'}`
  }
  for (const [, name = ''] of text.matchAll(read)) {
    // Other names are those of common table expressions.
    const owner: string = owners.get(name) ?? folder
    if (owner !== folder && !readable[folder]?.includes(owner))
      return `${folder}/ must not read ${name}, a table of ${owner}`
  }
  return undefined
}
