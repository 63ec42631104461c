import { type PermissionName, permissionNames } from '@gatehouse/protocol/permissions'
import { type FormTokens, type Pages, pageHeaders } from '../../http/pages.ts'
import { imagePath } from '../../platform/images/index.ts'
import { type ConsentScreen, signInPath } from '../authorize/index.ts'
import { optionalOf } from '../consent.ts'
import { formActionOf } from '../redirect-uri.ts'
import { isPersonal, type Meaning } from '../scopes.ts'

/** What each scope means, to whoever is to allow it. */
const texts: Partial<Record<Meaning, string>> = {
  identify: 'See your name, username and picture',
  email: 'See your email address',
  servers: 'See which servers you are on',
  openid: 'Know that it is you who signs in',
}

const abilities: Readonly<Record<PermissionName, string>> = {
  KICK_MEMBERS: 'Remove members',
  BAN_MEMBERS: 'Ban members',
  ADMINISTRATOR: 'Do everything, as an administrator',
  MANAGE_CHANNELS: 'Create, change and delete channels',
  MANAGE_SERVER: 'Change the server',
  VIEW_CHANNEL: 'See channels and read their messages',
  SEND_MESSAGES: 'Send messages',
  MANAGE_MESSAGES: "Delete other people's messages",
  EMBED_LINKS: 'Send cards and previews',
  MENTION_EVERYONE: 'Notify everyone',
  MANAGE_ROLES: 'Create, change and give roles',
  MANAGE_WEBHOOKS: 'Create, change and delete webhooks',
  USE_COMMANDS: 'Use commands',
}

/** The page on which a person decides: who asks, for what, as which account (D17, D23, D78). */
export function consentPage(
  { pages, formTokens }: { pages: Pages; formTokens: FormTokens },
  { request, person, bindings, parameters, choices }: ConsentScreen,
): { status: 200; headers: Record<string, string>; body: string } {
  const { client, scopes, redirectUri } = request
  const optional = optionalOf(scopes)
  const asked = scopes.meanings.filter(isPersonal)
  const permissions = scopes.has('bot') ? permissionNames(request.permissions) : []
  const installs = scopes.has('bot') || scopes.has('applications.commands')
  const heading = installs ? `Add ${client.name} to a server` : `Sign in to ${client.name}`
  const icon = client.iconHash === null ? undefined : imagePath('applications', client.id, client.iconHash)
  const body = pages.render(new URL('./', import.meta.url), 'consent', {
    title: heading,
    heading,
    action: `/oauth2/consent?${parameters}`,
    token: formTokens.make(bindings.session, bindings.request),
    client: { name: client.name, description: client.description, icon, initial: [...client.name][0] ?? '' },
    person,
    changeAccount: signInPath(parameters, { again: true }),
    scopes: asked.map(name => ({ name, text: texts[name] ?? name, optional: optional.includes(name) })),
    install: installs && {
      choices,
      selected: choices.find(choice => choice.id === request.serverId)?.id,
      permissions,
      abilities: [
        ...(scopes.has('bot') ? ['Join with its bot'] : []),
        ...(scopes.has('applications.commands') ? ['Offer commands'] : []),
        ...permissions.map(name => abilities[name]),
      ],
    },
    note: notesOf(redirectUri, asked.length > 0),
    verb: installs ? 'Add' : 'Allow',
    possible: !installs || choices.length > 0,
  })
  return {
    status: 200,
    headers: pageHeaders(redirectUri === undefined ? [] : [formActionOf(redirectUri)]),
    body,
  }
}

/** What happens next, and what it does not mean. */
function notesOf(redirectUri: string | undefined, personal: boolean): string {
  return [
    ...(redirectUri === undefined ? [] : [`You will go on to ${placeOf(redirectUri)}.`]),
    'It never sees your password.',
    ...(personal ? ['You can withdraw what you allow in your settings at any time.'] : []),
  ].join(' ')
}

/** What a person can tell an address by: its host, or the scheme of an application on their own machine. */
function placeOf(redirectUri: string): string {
  const url = new URL(redirectUri)
  return url.host === '' ? `the application ${url.protocol.slice(0, -1)}` : url.host
}
