import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import { privilegedIntents } from './intents.ts'
import * as limits from './limits.ts'
import { ApplicationCard, DisplayName, IconPath, ImageUri, User, Username } from './users.ts'
import {
  boolean,
  described,
  extended,
  keywords,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pattern,
  string,
  text,
} from './wire.ts'

/** sign-in/client-types: `confidential` has a secret, `public` has none and must use PKCE. */
export const ApplicationType = oneOf(
  ['confidential', 'public'],
  '`confidential` has a secret; `public` has none and must use PKCE.',
)
export type ApplicationType = InferOutput<typeof ApplicationType>

export const EndpointFormat = oneOf(
  ['native', 'discord'],
  'The format of the requests to the interactions endpoint: ours, or that of the API of Discord.',
)
export type EndpointFormat = InferOutput<typeof EndpointFormat>

const AllowLoopbackPort = boolean('Whether a registered loopback redirect URI matches on any port.')

const PublicBot = boolean(
  'Whether others than the owner may add the bot to servers that they manage; false by default.',
)

export const PrivilegedIntents = list(
  oneOf(privilegedIntents),
  'The privileged intents that the bot may use on the gateway. `members`: who joins and ' +
    'leaves. `messageContent`: the content of all messages in the channels that the bot can ' +
    'view.',
  { max: 100 },
)

/** The scopes that an application can have without requesting them (sign-in/default-scopes). */
export const settingScopes = [
  'identify',
  'email',
  'servers',
  'servers.members.read',
  'openid',
  'groups',
] as const
const SettingScope = oneOf(settingScopes, 'A scope that the user grants.')
export type SettingScope = InferOutput<typeof SettingScope>

const DefaultScopes = list(SettingScope, 'The scopes of a request that has no known scope.', { max: 10 })
const AddedScopes = list(SettingScope, 'The scopes that are added to every request for a code.', { max: 10 })
const EmailRequired = boolean('Whether the user cannot deselect `email` on the consent page.')
const EmailVerifiedOnly = boolean(
  'With `emailRequired`: whether a user verifies the email address first. New applications have it if the service ' +
    'sends mails over SMTP.',
)
const RefreshGrace = boolean(
  'Whether a used refresh token gets the same response again for 10 seconds, for clients that refresh in parallel.',
)

const GroupValue = pattern(
  /^[A-Za-z0-9._-]{1,64}$/,
  'The group of the members with the role: 1 to 64 of `A-Z a-z 0-9 . _ -`.',
)
const GroupsClaim = pattern(
  /^[A-Za-z][A-Za-z0-9._:/-]{0,63}$/,
  'A second claim with the same groups, such as `roles`; null for none.',
)

const Group = object(
  { roleId: described(Id, 'A role of the server.'), value: GroupValue },
  'A role that is sent.',
)

const serverBinding = {
  id: described(Id, 'The server.'),
  membersOnly: boolean('Whether only members of the server may sign in to the application.'),
  requiredRoles: list(
    Id,
    'With `membersOnly`: roles of which a member needs one; empty if every member may sign in.',
    {
      max: limits.maxRoles,
    },
  ),
  groupsClaim: nullable(GroupsClaim),
}

const BindingState = oneOf(
  ['kept', 'suspended', 'ended'],
  'Absent while the owner of the application may manage the server. Otherwise `kept`: the owner of the server lets ' +
    'the application stay bound; `suspended`: they have not, so the server admits nobody; `ended`: they have ended ' +
    'the binding, which admits nobody until the owner of the application replaces or removes it.',
)
export type BindingState = InferOutput<typeof BindingState>

/** sign-in/server-binding */
export const ServerBinding = object(
  {
    ...serverBinding,
    groups: list(Group, 'The roles that the scope `groups` sends, each with its group.'),
    state: optional(BindingState),
  },
  'The server whose members and roles an application knows.',
)
export type ServerBinding = InferOutput<typeof ServerBinding>

export const ServerBindingInput = object(
  {
    id: serverBinding.id,
    membersOnly: optional(serverBinding.membersOnly),
    requiredRoles: optional(serverBinding.requiredRoles),
    groups: optional(
      list(
        object(
          {
            roleId: described(Id, 'A role of the server.'),
            value: optional(
              described(GroupValue, 'The group; by default it is made from the name of the role.'),
            ),
          },
          'A role to send.',
        ),
        'The roles that the scope `groups` sends.',
        { max: limits.maxRoles },
      ),
    ),
    groupsClaim: optional(serverBinding.groupsClaim),
  },
  'A server that the owner of the application owns or manages. It replaces the earlier one.',
)
export type ServerBindingInput = InferOutput<typeof ServerBindingInput>

/** One of `GET /api/servers/:id/bound-applications` (sign-in/binding-decision). */
export const BoundApplication = object(
  {
    id: described(Id, 'The id of the application.'),
    name: string('The name of the application.'),
    icon: IconPath,
    owner: described(User, 'The owner of the application.'),
    membersOnly: serverBinding.membersOnly,
    state: optional(BindingState),
  },
  'An application that is bound to the server.',
)
export type BoundApplication = InferOutput<typeof BoundApplication>

/** discord/unsupported-options */
export const NotRegistered = object(
  {
    command: string('The names of the command, the group and the subcommand, separated by spaces.'),
    option: optional(
      string('The option for files. Absent if it was required, so that the command is missing.'),
    ),
    serverId: optional(described(Id, 'The id of the server, of a command of one server only.')),
  },
  'A command, subcommand or option that needs files.',
)
export type NotRegistered = InferOutput<typeof NotRegistered>

/** `id` is the `client_id`. */
export const Application = object(
  {
    id: described(Id, 'The id of the application, which is its `client_id`.'),
    name: string('The name that users see on the consent page.'),
    description: string('What the application does; empty if there is no text.'),
    icon: IconPath,
    type: ApplicationType,
    redirectUris: list(
      string(undefined, { format: 'uri' }),
      'The URIs to which an authorization request may redirect.',
    ),
    allowLoopbackPort: AllowLoopbackPort,
    postLogoutRedirectUris: list(
      string(undefined, { format: 'uri' }),
      'URLs to which the user may be redirected after RP-initiated logout.',
    ),
    backchannelLogoutUri: nullable(
      string(undefined, { format: 'uri' }),
      'The URL that receives back-channel logout requests; null if there is none.',
    ),
    interactionsEndpointUrl: nullable(
      string(undefined, { format: 'uri' }),
      'The URL that receives interactions; null if the bot receives them over the gateway.',
    ),
    interactionsEndpointFormat: EndpointFormat,
    privilegedIntents: PrivilegedIntents,
    publicKey: string('Ed25519 public key in 64 hex characters, which verifies signed requests.'),
    server: nullable(ServerBinding, 'The server that the application is bound to; null if there is none.'),
    emailRequired: EmailRequired,
    emailVerifiedOnly: EmailVerifiedOnly,
    defaultScopes: DefaultScopes,
    addedScopes: AddedScopes,
    refreshGrace: RefreshGrace,
    public: PublicBot,
    bot: nullable(User, 'The bot of the application; null if it has none.'),
    notRegistered: list(
      NotRegistered,
      'What was left out of the last sets of commands that the bot sent through the API of Discord, because there ' +
        `are no files here: up to ${limits.maxNotRegistered} of a set, of up to ${limits.maxSetsNotRegistered} sets.`,
    ),
    createdAt: described(Timestamp, 'When the application was created.'),
  },
  'An application; `id` is its client_id.',
)
export type Application = InferOutput<typeof Application>

/** 201 of `POST /api/applications`: the secret, if there is one, is shown only once. */
export const CreatedApplication = extended(
  Application,
  {
    clientSecret: optional(string('The secret, which is shown only once; absent for a public application.')),
  },
  'A new application.',
)
export type CreatedApplication = InferOutput<typeof CreatedApplication>

const ApplicationName = text({
  min: 1,
  max: limits.maxApplicationName,
  description: 'The name that users see on the consent page: 1 to 64 characters.',
  clean: 'name',
})
const Description = text({
  max: limits.maxApplicationDescription,
  description: 'What the application does: up to 1000 characters.',
  clean: 'lines',
})
// The schema has no maximum, because too many have their own error code (`redirect_uri_limit`).
const RedirectUri = text({ min: 1, max: limits.maxRedirectUriLength, clean: 'keep' })
export const RedirectUris = keywords(
  list(keywords(RedirectUri, { format: 'uri' }), 'Up to 10; compared as whole strings.'),
  { maxItems: limits.maxRedirectUris },
)
export const RemovableHttpsUrl = nullable(
  keywords(text({ max: limits.maxUrl }), { format: 'uri' }),
  'An https URL; "" and null remove it.',
)

export const CreateApplicationBody = object(
  {
    name: ApplicationName,
    description: optional(Description),
    type: ApplicationType,
    redirectUris: optional(RedirectUris),
    allowLoopbackPort: optional(AllowLoopbackPort),
    postLogoutRedirectUris: optional(RedirectUris),
    backchannelLogoutUri: optional(RemovableHttpsUrl),
    public: optional(PublicBot),
  },
  'A new application.',
)
export type CreateApplicationBody = InferOutput<typeof CreateApplicationBody>

/** `PATCH /api/applications/:id`. `""` and null remove a URL (community/validation). The type cannot be changed. */
export const UpdateApplicationBody = object(
  {
    name: optional(ApplicationName),
    description: optional(Description),
    redirectUris: optional(RedirectUris),
    allowLoopbackPort: optional(AllowLoopbackPort),
    postLogoutRedirectUris: optional(RedirectUris),
    backchannelLogoutUri: optional(RemovableHttpsUrl),
    interactionsEndpointUrl: optional(RemovableHttpsUrl),
    interactionsEndpointFormat: optional(EndpointFormat),
    privilegedIntents: optional(PrivilegedIntents),
    server: optional(nullable(ServerBindingInput, 'The server to bind the application to; null for none.')),
    emailRequired: optional(EmailRequired),
    emailVerifiedOnly: optional(EmailVerifiedOnly),
    defaultScopes: optional(DefaultScopes),
    addedScopes: optional(AddedScopes),
    refreshGrace: optional(RefreshGrace),
    public: optional(PublicBot),
  },
  'The fields to change.',
)
export type UpdateApplicationBody = InferOutput<typeof UpdateApplicationBody>

/** `PATCH /api/applications/@me` (bots/self-description). */
export const UpdateOwnApplicationBody = object(
  {
    description: optional(Description),
    displayName: optional(described(DisplayName, 'The display name of the bot: 1 to 32 characters.')),
    avatar: optional(nullable(ImageUri, 'The avatar of the bot; null for the generated one.')),
  },
  'The fields to change.',
)
export type UpdateOwnApplicationBody = InferOutput<typeof UpdateOwnApplicationBody>

export const OwnApplication = extended(
  ApplicationCard,
  {
    description: string('What the application does; empty without a description.'),
    bot: described(User, 'The bot.'),
  },
  'An application as its bot sees it.',
)
export type OwnApplication = InferOutput<typeof OwnApplication>

/** `POST /api/applications/:id/secret`. */
export const ClientSecret = object(
  { clientSecret: string('The new secret of the application.') },
  'A secret, which is shown only once.',
)
export type ClientSecret = InferOutput<typeof ClientSecret>

/** `POST /api/applications/:id/bot` → 201 CreatedBot. */
export const CreateBotBody = object(
  {
    username: optional(
      described(
        Username,
        'The name of the bot: 2 to 32 characters; by default made from that of the application.',
      ),
    ),
  },
  'The bot to create.',
)
export type CreateBotBody = InferOutput<typeof CreateBotBody>

const BotTokenText = string('The token of the bot, for `Authorization: Bot …`.')

export const CreatedBot = object(
  { bot: described(User, 'The bot.'), token: BotTokenText },
  'A bot and its token, which is shown only once.',
)
export type CreatedBot = InferOutput<typeof CreatedBot>

/** `POST /api/applications/:id/bot/token`. */
export const BotToken = object({ token: BotTokenText }, 'The token of a bot, which is shown only once.')
export type BotToken = InferOutput<typeof BotToken>
