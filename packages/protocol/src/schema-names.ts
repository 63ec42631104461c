import * as administration from './administration.ts'
import * as applications from './applications.ts'
import * as auditLog from './audit-log.ts'
import * as channels from './channels.ts'
import * as commands from './commands.ts'
import * as components from './components.ts'
import * as embeds from './embeds.ts'
import * as errors from './errors.ts'
import * as gateway from './gateway.ts'
import * as gatewayEvents from './gateway-events.ts'
import * as ids from './ids.ts'
import * as interactions from './interactions.ts'
import * as mentions from './mentions.ts'
import * as messages from './messages.ts'
import * as modals from './modals.ts'
import * as oauth from './oauth.ts'
import * as permissions from './permissions.ts'
import * as readState from './read-state.ts'
import * as reports from './reports.ts'
import * as scopes from './scopes.ts'
import * as secondFactor from './second-factor.ts'
import * as securityLog from './security-log.ts'
import * as servers from './servers.ts'
import * as slack from './slack.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'

const modules: readonly Readonly<Record<string, unknown>>[] = [
  administration,
  applications,
  auditLog,
  channels,
  commands,
  components,
  embeds,
  errors,
  gateway,
  gatewayEvents,
  ids,
  interactions,
  mentions,
  messages,
  modals,
  oauth,
  permissions,
  readState,
  reports,
  scopes,
  secondFactor,
  securityLog,
  servers,
  slack,
  users,
  webhooks,
]

/** The names of all exported schemas in the API document: those of their exports. */
export function listSchemaNames(): Map<object, string> {
  const names = new Map<object, string>()
  for (const exported of modules) {
    for (const [name, value] of Object.entries(exported)) {
      if (isSchema(value)) names.set(value, name)
    }
  }
  return names
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema'
}
