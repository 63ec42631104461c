import type { PrivilegedIntent } from '@gatehouse/protocol/intents'
import { permissionNames } from '@gatehouse/protocol/permissions'
import { firstCluster } from '@gatehouse/protocol/text'
import type { FormTokens, PageRenderer } from '../../http/html-pages.ts'
import type { Key } from '../../i18n/en.ts'
import { formatDay, type Translate } from '../../i18n/translate.ts'
import { imagePath } from '../../images/index.ts'
import type { ConsentScreen } from '../authorize.ts'
import { listOptionalScopes } from '../consent.ts'
import { signInPath } from '../end-user.ts'
import { toFormActionSource } from '../redirect-uri.ts'
import type { CanonicalScope } from '../scopes.ts'

const scopeKeys: Partial<Record<CanonicalScope, Key>> = {
  identify: 'scope.identify',
  email: 'scope.email',
  servers: 'scope.servers',
  'servers.members.read': 'scope.serversMembersRead',
  openid: 'scope.openid',
  groups: 'scope.groups',
}

const intentKeys = {
  members: 'consent.intent.members',
  messageContent: 'consent.intent.messageContent',
} as const satisfies Record<PrivilegedIntent, Key>

/**
 * The consent page (sign-in/consent-screen, sign-in/bot-installation, sign-in/sign-in-pages). The name of an
 * application can be chosen freely, also to deceive. The page therefore starts with data that cannot: the host or
 * scheme of the redirect URI, the unique username of the developer or the bot, and the registration date.
 */
export function consentPage(
  page: PageRenderer,
  formTokens: FormTokens,
  { request, user, owner, bindings, parameters, choices, serverName }: ConsentScreen,
): { status: 200; headers: Record<string, string>; body: string } {
  const { t } = page
  const { client, scopes, redirectUri } = request
  const optional = listOptionalScopes(request)
  const permissions = scopes.has('bot') ? permissionNames(request.permissions) : []
  const installs = scopes.installation.length > 0
  const destination = redirectUri === undefined ? undefined : destinationOf(t, redirectUri)
  const heading =
    installs || destination === undefined
      ? t('consent.addBot', { bot: owner.bot ?? client.id })
      : t(destination.heading, { destination: destination.name })
  const icon = client.iconHash === null ? undefined : imagePath('applications', client.id, client.iconHash)
  const data = {
    title: heading,
    heading,
    destination: destination?.text,
    owner: owner.developer,
    created: t('consent.created', { date: formatDay(page.locale, client.createdAt) }),
    action: `/oauth2/consent?${parameters}`,
    token: formTokens.create(bindings.session, bindings.request),
    client: { name: client.name, description: client.description, icon, initial: firstCluster(client.name) },
    user,
    changeAccount: signInPath(parameters, { reauthenticate: true }),
    scopes: scopes.user.map(name => ({
      name,
      text: scopeText(t, name, serverName),
      optional: optional.includes(name),
    })),
    install: installs && {
      choices,
      selected: choices.find(choice => choice.id === request.serverId)?.id,
      permissions,
      abilities: [
        ...(scopes.has('bot') ? [t('consent.addsBot')] : []),
        ...(scopes.has('applications.commands') ? [t('consent.addsCommands')] : []),
        ...permissions.map(name => t(`permission.${name}`)),
        ...(scopes.has('bot') ? client.privilegedIntents.map(name => t(intentKeys[name])) : []),
      ],
    },
    note: [t('consent.neverPassword'), ...(scopes.user.length > 0 ? [t('consent.revoke')] : [])].join(' '),
    submit: installs ? t('consent.add') : t('consent.allow'),
    canSubmit: !installs || choices.length > 0,
  }
  const rendered = page.render(new URL('./', import.meta.url), 'consent', data, {
    formAction: redirectUri === undefined ? [] : [toFormActionSource(redirectUri)],
    returnPath: `/oauth2/authorize?${parameters}`,
  })
  return { status: 200, ...rendered }
}

function scopeText(t: Translate, scope: CanonicalScope, serverName: string | undefined): string {
  if (scope === 'groups' && serverName !== undefined) return t('scope.groupsOnServer', { server: serverName })
  const key = scopeKeys[scope]
  return key === undefined ? scope : t(key)
}

/**
 * The host of a web site, or the scheme of a native application: the operating system selects the application by the
 * scheme, and the host after it can be any text (RFC 8252 §7.1).
 */
export function destinationOf(
  t: Translate,
  redirectUri: string,
): { name: string; text: string; heading: Key } {
  const { host, protocol } = new URL(redirectUri)
  if (protocol === 'https:' || protocol === 'http:')
    return { name: host, text: host, heading: 'consent.signInTo' }
  const name = protocol.slice(0, -1)
  return {
    name,
    text: t('consent.application', { destination: name }),
    heading: 'consent.signInToApplication',
  }
}
