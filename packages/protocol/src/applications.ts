import type { Static } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import { privilegedIntents } from './intents.ts'
import * as limits from './limits.ts'
import { closed, Described, Extended, Nullable, OneOf, ShownAs } from './schema.ts'
import { Lines, Name, Text } from './text.ts'
import { Type } from './type.ts'
import { IconPath, User, Username } from './users.ts'

/** sign-in/client-types: `confidential` has a secret, `public` has none and must use PKCE. */
export const ApplicationType = OneOf(['confidential', 'public'], {
  description: '`confidential` has a secret; `public` has none and must use PKCE.',
})
export type ApplicationType = Static<typeof ApplicationType>

const AllowLoopbackPort = Type.Boolean({
  description: 'Whether a registered loopback redirect URI matches on any port.',
})

const PublicBot = Type.Boolean({
  description: 'Whether others than the owner may add the bot to servers that they manage; false by default.',
})

export const PrivilegedIntents = Type.Array(OneOf(privilegedIntents), {
  maxItems: 100,
  description:
    'The privileged intents that the bot may use on the gateway. `members`: who joins and leaves. `messageContent`: the content of all messages in the channels that the bot can view.',
})

/** `id` is the `client_id`. */
export const Application = Type.Object(
  {
    id: Described(Id, 'The id of the application, which is its `client_id`.'),
    name: Type.String({ description: 'The name that users see on the consent page.' }),
    description: Type.String({ description: 'What the application does; empty if there is no text.' }),
    icon: IconPath,
    type: ApplicationType,
    redirectUris: Type.Array(Type.String({ format: 'uri' }), {
      description: 'The URIs to which an authorization request may redirect.',
    }),
    allowLoopbackPort: AllowLoopbackPort,
    postLogoutRedirectUris: Type.Array(Type.String({ format: 'uri' }), {
      description: 'URLs to which the user may be redirected after RP-initiated logout.',
    }),
    backchannelLogoutUri: Nullable(Type.String({ format: 'uri' }), {
      description: 'The URL that receives back-channel logout requests; null if there is none.',
    }),
    interactionsEndpointUrl: Nullable(Type.String({ format: 'uri' }), {
      description: 'The URL that receives interactions; null if the bot receives them over the gateway.',
    }),
    privilegedIntents: PrivilegedIntents,
    publicKey: Type.String({
      description: 'Ed25519 public key in 64 hex characters, which verifies signed requests.',
    }),
    public: PublicBot,
    bot: Nullable(User, { description: 'The bot of the application; null if it has none.' }),
    createdAt: Described(Timestamp, 'When the application was created.'),
  },
  closed('An application; `id` is its client_id.'),
)
export type Application = Static<typeof Application>

/** 201 of `POST /api/applications`: the secret, if there is one, is shown only once. */
export const CreatedApplication = Extended(
  Application,
  {
    clientSecret: Type.Optional(
      Type.String({ description: 'The secret, which is shown only once; absent for a public application.' }),
    ),
  },
  'A new application.',
)
export type CreatedApplication = Static<typeof CreatedApplication>

const ApplicationName = Name({
  min: 1,
  max: limits.maxApplicationName,
  description: 'The name that users see on the consent page: 1 to 64 characters.',
})
const Description = Lines({
  max: limits.maxApplicationDescription,
  description: 'What the application does: up to 1000 characters.',
})
// The schema has no maximum, because too many have their own error code (`redirect_uri_limit`).
const RedirectUri = Text({ min: 1, max: limits.maxRedirectUriLength, trim: 'keep' })
export const RedirectUris = ShownAs(
  Type.Array(RedirectUri, { description: 'Up to 10; compared as whole strings.' }),
  Type.Array(ShownAs(RedirectUri, Type.Unsafe<string>({ ...RedirectUri, format: 'uri' })), {
    maxItems: limits.maxRedirectUris,
    description: 'Up to 10; compared as whole strings.',
  }),
)
const RemovableUrl = Text({ max: limits.maxUrl })
export const RemovableHttpsUrl = Nullable(
  ShownAs(RemovableUrl, Type.Unsafe<string>({ ...RemovableUrl, format: 'uri' })),
  {
    description: 'An https URL; "" and null remove it.',
  },
)

export const CreateApplicationBody = Type.Object(
  {
    name: ApplicationName,
    description: Type.Optional(Description),
    type: ApplicationType,
    redirectUris: Type.Optional(RedirectUris),
    allowLoopbackPort: Type.Optional(AllowLoopbackPort),
    postLogoutRedirectUris: Type.Optional(RedirectUris),
    backchannelLogoutUri: Type.Optional(RemovableHttpsUrl),
    public: Type.Optional(PublicBot),
  },
  closed('A new application.'),
)
export type CreateApplicationBody = Static<typeof CreateApplicationBody>

/** `PATCH /api/applications/:id`. `""` and null remove a URL (community/validation). The type cannot be changed. */
export const UpdateApplicationBody = Type.Object(
  {
    name: Type.Optional(ApplicationName),
    description: Type.Optional(Description),
    redirectUris: Type.Optional(RedirectUris),
    allowLoopbackPort: Type.Optional(AllowLoopbackPort),
    postLogoutRedirectUris: Type.Optional(RedirectUris),
    backchannelLogoutUri: Type.Optional(RemovableHttpsUrl),
    interactionsEndpointUrl: Type.Optional(RemovableHttpsUrl),
    privilegedIntents: Type.Optional(PrivilegedIntents),
    public: Type.Optional(PublicBot),
  },
  closed('The fields to change.'),
)
export type UpdateApplicationBody = Static<typeof UpdateApplicationBody>

/** `POST /api/applications/:id/secret`. */
export const ClientSecret = Type.Object(
  { clientSecret: Type.String({ description: 'The new secret of the application.' }) },
  closed('A secret, which is shown only once.'),
)
export type ClientSecret = Static<typeof ClientSecret>

/** `POST /api/applications/:id/bot` → 201 CreatedBot. */
export const CreateBotBody = Type.Object(
  {
    username: Type.Optional(
      Described(
        Username,
        'The name of the bot: 2 to 32 characters; by default made from that of the application.',
      ),
    ),
  },
  closed('The bot to create.'),
)
export type CreateBotBody = Static<typeof CreateBotBody>

const BotTokenText = Type.String({ description: 'The token of the bot, for `Authorization: Bot …`.' })

export const CreatedBot = Type.Object(
  { bot: Described(User, 'The bot.'), token: BotTokenText },
  closed('A bot and its token, which is shown only once.'),
)
export type CreatedBot = Static<typeof CreatedBot>

/** `POST /api/applications/:id/bot/token`. */
export const BotToken = Type.Object(
  { token: BotTokenText },
  closed('The token of a bot, which is shown only once.'),
)
export type BotToken = Static<typeof BotToken>
