import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { operationGroups, pageGroups } from '@gatehouse/protocol/endpoints'
import ts from 'typescript'
import { isFragment, listFragments, partsOf } from './sql-statements.ts'

/** The rules of ARCHITECTURE.md that Biome (`biome.json`) has no rule for. */

const server = 'packages/server/src/'

/** A file imports files of its own folder and of those before it. Folders between `|` do not import each other. */
const orders: Readonly<Record<string, string>> = {
  [server]:
    'kit errors storage bus i18n mail outgoing rate-limits http images events instance accounts audit community ' +
    'applications oauth|interactions|webhooks|gateway discord administration monitoring api-reference ' +
    'config.ts shutdown.ts compose.ts cli',
  'packages/web/src/':
    'core ui features/commands|features/identity|features/servers features/chat|features/settings ' +
    'features/console|features/administration shell',
}

/** Imports that pass an `index.ts`: of modules and routes, and of `users/` by other parts of `accounts/`. */
const pastIndex = new RegExp(
  String.raw`^server/(compose|\S*-module)\.ts \S+-(module|routes?|page)\.ts$|` +
    String.raw`^server/accounts/(passwords|sign-in-pages)/\S+ server/accounts/users/`,
)

/** The tables and views of each folder. Only its stores write them. Folders after it in the order may read them. */
const tables: Readonly<Record<string, string>> = {
  storage: 'nodes secret_key_check',
  images: 'images',
  instance: 'instance_settings',
  accounts:
    'users former_usernames sessions valid_sessions security_log known_devices mail_tokens ' +
    'passkeys authenticator_apps recovery_codes mfa_tickets used_challenges',
  audit: 'audit_log',
  community:
    'servers ownership_transfers roles members member_roles bans timeouts ' +
    'channels dm_members blocks overwrites invites messages mentions message_deletions read_marks slow_mode_turns ' +
    'reports',
  applications:
    'applications valid_applications integrations commands command_overrides valid_command_overrides',
  oauth:
    'oauth_consents valid_consents oauth_grants valid_grants grant_revocations oauth_used_refresh_tokens ' +
    'oauth_signing_keys oauth_sign_ins sign_in_failures',
  interactions: 'interactions',
  webhooks: 'webhooks webhook_deliveries',
}

const folderOfTable = new Map(
  Object.entries(tables).flatMap(([folder, names]) => names.split(' ').map(name => [name, folder] as const)),
)

const groups = [...Object.entries(operationGroups), ...Object.entries(pageGroups)]
const groupOfEndpoint = new Map(
  groups.flatMap(([group, endpoints]) => Object.keys(endpoints).map(id => [id, group] as const)),
)

// Not the templates of pages: an HTML element is one line.
const checked = /\.(tsx?|js|css|sql|sh)$/
const source = /\.[jt]sx?$/
const serverSource = /^packages\/server\/src\/.*\.ts$/
/** Tests, what only tests import, and what is not part of the product. */
const test =
  /\.(test|fixture)\.tsx?$|[-/]testing\.ts$|^(?!packages\/(server|web|bot|protocol|gateway-client)\/src\/)/

const lineRules: { rule: string; files: RegExp; except?: RegExp; find: RegExp }[] = [
  {
    rule: 'only kit/clock.ts reads the system clock',
    files: serverSource,
    except: new RegExp(`${test.source}|/kit/clock\\.ts$`),
    find: /\bDate\.now\b|\bTemporal\.Now\b|\bnew Date\(\)|(?<!new |\w)Date\(\)/,
  },
  {
    // Biome finds `process.env`.
    rule: 'only config.ts reads environment variables',
    files: serverSource,
    except: test,
    find: /'(node:)?process'|\benv\b.*\} = process$/,
  },
  {
    // All services of the process would share it. The buffer of random bytes in kit/secret.ts is not observable.
    rule: 'no variable at the top level of a file',
    files: serverSource,
    except: new RegExp(`${test.source}|/kit/secret\\.ts$`),
    find: /^(export )?(let|var) /,
  },
  {
    // It checks the right of the administrator.
    rule: 'only administrators.ts starts a transaction of administration/',
    files: /^packages\/server\/src\/administration\/.*\.ts$/,
    except: new RegExp(`${test.source}|/administrators\\.ts$`),
    find: /\.transaction\(|\bproofs\b/,
  },
  {
    rule: 'the checks cannot follow this import',
    files: source,
    except: test,
    find: /\bcreateRequire\b|\bgetBuiltinModule\b|(?<![\w.`])import\((?!['.)])/,
  },
  {
    rule: 'a test is turned off',
    files: /\.test\.tsx?$/,
    find: /\b(test|it|describe|suite)\.todo\(|^(test|it|describe|suite)\(.*[{ ](only|skip|todo): (true|['`])/,
  },
  {
    rule: 'a check is turned off, or a to-do comment',
    files: source,
    find: /(\/\/|\/\*|^\s*\*).*(\b(TODO|FIXME|XXX)\b|biome-ignore|eslint-disable|@ts-(ignore|nocheck))/,
  },
  {
    rule: 'longer than 120 columns',
    files: checked,
    // Generated.
    except: /\/wire-types\.ts$/,
    find: /^.{121}/u,
  },
]

/** `index` is that of the violation in the text. */
type Add = (rule: string, index?: number) => void

/** Returns a line `file:line  rule` for each finding. `paths` are the files of the repository, with forward slashes. */
export function checkFile(path: string, text: string, paths: ReadonlySet<string>): string[] {
  const findings: string[] = []
  const add: Add = (rule, index = 0) =>
    findings.push(`${path}:${text.slice(0, index).split('\n').length}  ${rule}`)
  const rules = lineRules.filter(({ files, except }) => files.test(path) && !except?.test(path))
  for (const [index, line] of text.split('\n').entries())
    for (const { rule, find } of rules) if (find.test(line)) findings.push(`${path}:${index + 1}  ${rule}`)
  if (/(^|\/)(utils?|helpers?|common|misc)(\/|\.[^/]+$)/.test(path))
    add('the name does not describe a subject')
  if (path.startsWith(server) && path.endsWith('/index.ts') && !/^(\/\/.*\n\/\/|\/\*\*)/.test(text))
    add('no comment of two lines on what the folder contains')
  if (path.endsWith('.sql') && !path.includes('/storage/')) add('SQL outside *-store.ts and storage/')
  if (serverSource.test(path) && !test.test(path)) checkRoutes(path, text, add)
  if (source.test(path)) checkImports(path, text, paths, add)
  if (path.startsWith('packages/') && source.test(path)) checkStatements(path, text, add)
  return findings
}

/** An endpoint is declared in `<group>-routes.ts` or `<group>-page.ts`. */
function checkRoutes(path: string, text: string, add: Add): void {
  const [, noun] = /([\w-]+)-(?:routes|page)\.ts$/.exec(path) ?? []
  for (const { 1: id = '', index } of text.matchAll(/\b(?:\w*[rR]oute|page|file)\((?:deps, )?'(\w+)'/g)) {
    const group = groupOfEndpoint.get(id) ?? noun
    if (group !== noun) add(`${id} must be declared in ${group}-routes.ts`, index)
  }
}

/** Type imports and dynamic imports are imports too. */
function checkImports(path: string, text: string, paths: ReadonlySet<string>, add: Add): void {
  for (const { 1: specifier = '', index } of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    const target = join(dirname(path), specifier)
    if (target.startsWith(server) && !/^packages\/(server|testkit)\//.test(path))
      add(`must import ${target} through packages/testkit`, index)
    else if (test.test(path)) continue
    else if (path.split('/')[1] !== target.split('/')[1]) add(`must not import ${target} by its path`, index)
    else if (test.test(target)) add(`must not import ${target}, which is for tests`, index)
    const root = Object.keys(orders).find(prefix => path.startsWith(prefix) && target.startsWith(prefix))
    if (!root) continue
    const pair = `${path} ${target}`.replaceAll(server, 'server/')
    if (!mayImport(root, path, target)) add(`must not import ${target}, of a later folder`, index)
    const entry = pastIndex.test(pair) ? undefined : indexOf(dirname(target), paths)
    if (entry && basename(target) !== 'index.ts' && !path.startsWith(`${dirname(entry)}/`))
      add(`must import ${entry} instead of ${target}`, index)
  }
  const documents = /\/http\/openapi\/|^@gatehouse\/protocol\/examples$/
  if (!/^packages\/(server|web)\/src\//.test(path) || test.test(path) || documents.test(path)) return
  for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type\b)[^'"`()=]*'([^']+)'/gm))
    if (documents.test(specifier.startsWith('.') ? join('/', dirname(path), specifier) : specifier))
      add(`must import ${specifier} on demand, because few services need it`)
}

/** Whether a file may use files or tables of the folder of `target`. The order names all folders. */
function mayImport(root: string, path: string, target: string): boolean {
  const rows = orders[root]?.split(' ') ?? []
  const ranks = rows.flatMap((names, rank) => names.split('|').map(name => ({ name, rank })))
  const [from, to] = [path, target].map(file =>
    ranks.find(({ name }) => `${file}/`.startsWith(`${root + name}/`)),
  )
  return from !== undefined && to !== undefined && (from.name === to.name || to.rank < from.rank)
}

/** The `index.ts` of the folder, or of the nearest folder above it that has one. */
function indexOf(folder: string, paths: ReadonlySet<string>): string | undefined {
  if (folder === '.') return undefined
  return paths.has(`${folder}/index.ts`) ? `${folder}/index.ts` : indexOf(dirname(folder), paths)
}

const sql =
  'SELECT|INSERT INTO|UPDATE \\S+ SET|DELETE FROM|(CREATE|ALTER|DROP) (UNIQUE )?(TABLE|INDEX|VIEW)|WITH \\w+ AS|PRAGMA'
const statementStart = new RegExp(`^\\s*(--.*\\s+)*(${sql})\\s`)
const writtenTables = /\b(?:INSERT INTO|DELETE FROM|UPDATE(?! SET\b))\s+(\w+)/g
const readTables = /\b(?:(?<!DELETE )FROM|JOIN)\s+(\w+)/g

/** Statements are tagged templates, which may contain other templates, so this reads the syntax tree. */
function checkStatements(path: string, text: string, add: Add): void {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const folder = path.slice(server.length).split('/')[0] ?? ''
  const isService = path.startsWith(server) && !test.test(path)
  const isStore = /\/storage\/|-store\.ts$/.test(path)
  const fragments = listFragments(tree)
  walk(tree, node => {
    const report = (rule: string) => add(rule, node.getStart(tree))
    // Biome finds promises of calls only.
    if (ts.isExpressionStatement(node) && isStatement(node.expression)) report('a statement is not awaited')
    if (!isService) return
    const sqlOf = (template: ts.TemplateLiteral) => partsOf(template, fragments).join('?')
    const given = ts.isStringLiteral(node) ? node.text : ts.isTemplateLiteral(node) ? sqlOf(node) : ''
    if (!isStore && (isStatement(node) || statementStart.test(given)))
      report('SQL outside *-store.ts and storage/')
    // Otherwise the checks of statements do not see its text.
    if (isFragment(node) && !(isStore && fragments.has(node.parent.getChildAt(0).getText())))
      report('a fragment is a constant of its store')
    if (!isStatement(node)) return
    const statement = sqlOf(node.template)
    // `images/` locks the row of the user who uploads.
    for (const [, table = ''] of statement.matchAll(writtenTables))
      if (folderOfTable.get(table) !== folder && `${folder} ${table}` !== 'images users')
        report(`must not write ${table}, of another folder`)
    for (const [, table = ''] of statement.matchAll(readTables)) {
      // Other names are those of common table expressions.
      const owner = folderOfTable.get(table) ?? folder
      if (!mayImport(server, path, server + owner)) report(`must not read ${table}, of a later folder`)
    }
  })
}

function isStatement(node: ts.Node): node is ts.TaggedTemplateExpression {
  return ts.isTaggedTemplateExpression(node) && /(^|\.)(get|all|run|sql)$/.test(node.tag.getText())
}

/** Calls `visit` with `node` and all its descendants, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, child => walk(child, visit))
}

/** A file of the server is found by its name. */
export function checkNames(paths: Iterable<string>): string[] {
  const files = [...paths].filter(path => serverSource.test(path) && basename(path) !== 'index.ts')
  return [...Map.groupBy(files, path => basename(path)).values()].flatMap(([first, ...others]) =>
    others.length > 0 ? [`${first}:1  same name as ${others.join(', ')}`] : [],
  )
}

export function listFiles(root: string): Set<string> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return new Set(files.filter(file => checked.test(file) && existsSync(join(root, file))))
}

export function checkStructure(root: string): string[] {
  const paths = listFiles(root)
  const findings = [...paths].flatMap(path => checkFile(path, readFileSync(join(root, path), 'utf8'), paths))
  return [...checkNames(paths), ...findings]
}
