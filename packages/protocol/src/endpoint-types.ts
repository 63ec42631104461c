import type { InferInput, InferOutput } from 'valibot'
import type {
  AdminApplication,
  AdminHealth,
  AdminListQuery,
  AdminServer,
  AdminUser,
  AdminUserDetails,
  InstanceSettings,
  UpdateAdminApplicationBody,
  UpdateAdminServerBody,
  UpdateAdminUserBody,
  UpdateInstanceSettingsBody,
} from './administration.ts'
import type {
  Application,
  BotToken,
  BoundApplication,
  ClientSecret,
  CreateApplicationBody,
  CreateBotBody,
  CreatedApplication,
  CreatedBot,
  OwnApplication,
  UpdateApplicationBody,
  UpdateOwnApplicationBody,
} from './applications.ts'
import type { AuditLogEntry, AuditLogQuery } from './audit-log.ts'
import type {
  Channel,
  CreateChannelBody,
  CreateDmBody,
  MoveChannelsBody,
  OverwriteBody,
  UpdateChannelBody,
  UpdateDmBody,
} from './channels.ts'
import type {
  AvailableCommand,
  CommandOverrides,
  CommandsInput,
  RegisteredCommand,
  ServerCommand,
} from './commands.ts'
import type { EndpointId, PageId, PathParameters } from './endpoints.ts'
import type { BotGatewayResponse, GatewayResponse } from './gateway.ts'
import type {
  AutocompleteBody,
  AutocompleteResponse,
  CallbackBody,
  CallbackResponse,
  InteractionLogEntry,
  InteractionStatus,
  ResponseData,
  RunInteractionBody,
  RunInteractionResponse,
  TryBody,
  TryResponse,
} from './interactions.ts'
import type { LimitQuery, PageQuery } from './lists.ts'
import type { CreateMessageBody, Message, UpdateMessageBody } from './messages.ts'
import type {
  AuthorizeParameters,
  Discovery,
  EmptyObject,
  Introspection,
  IntrospectParameters,
  KeySet,
  LogoutParameters,
  RevocationParameters,
  SignInFailure,
  TokenRequestParameters,
  TokenResponse,
  UserInfo,
  UserInfoParameters,
} from './oauth.ts'
import type { MarkReadBody } from './read-state.ts'
import type { CreateReportBody, Report, ReportDetails, ReportsQuery, UpdateReportBody } from './reports.ts'
import type {
  AddedPasskey,
  AddPasskeyBody,
  ConfirmTotpBody,
  NewRecoveryCodes,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RecentProof,
  SecondFactorBody,
  SecondFactors,
  SecondFactorTicket,
  TotpSetUp,
} from './second-factor.ts'
import type { SecurityLogEntry, SecurityLogQuery } from './security-log.ts'
import type {
  AcceptOwnershipBody,
  Ban,
  CreateBanBody,
  CreateBansBody,
  CreatedBans,
  CreateInviteBody,
  CreateRoleBody,
  CreateServerBody,
  Integration,
  Invite,
  InvitePreview,
  InvitesQuery,
  Member,
  MembersQuery,
  MoveRolesBody,
  OfferOwnershipBody,
  OwnershipTransfer,
  Role,
  Server,
  ServerInvite,
  UpdateMemberBody,
  UpdateRoleBody,
  UpdateServerBody,
  UserServer,
} from './servers.ts'
import type { SlackPayload } from './slack.ts'
import type {
  Authorization,
  Block,
  EndSessionsBody,
  ForgotPasswordBody,
  LoginBody,
  RegisterBody,
  ResetPasswordBody,
  SelfUser,
  Session,
  UpdateSelfBody,
  VerifyEmailBody,
} from './users.ts'
import type {
  CreateWebhookBody,
  DiscordMessage,
  DiscordWebhook,
  GithubEvent,
  UpdateWebhookBody,
  WaitQuery,
  Webhook,
  WebhookDelivery,
  WebhookMessageBody,
  WebhookMessageEdit,
  WebhookUpdate,
} from './webhooks.ts'

/**
 * The JSON or form of the request, the query, and the body of a successful response, by operation id. Absent: there is
 * none.
 */
interface OperationTypes {
  register: { body: RegisterBody; response: SelfUser }
  logIn: { body: LoginBody; response: SelfUser }
  completeLogin: { body: SecondFactorBody; response: SelfUser }
  createLoginPasskeyOptions: { body: SecondFactorTicket; response: PasskeyRequestOptions }
  verifyEmail: { body: VerifyEmailBody }
  requestPasswordReset: { body: ForgotPasswordBody }
  resetPassword: { body: ResetPasswordBody }
  getCurrentUser: { response: SelfUser }
  updateCurrentUser: { body: UpdateSelfBody; response: SelfUser }
  setAvatar: { body: Blob; response: SelfUser }
  deleteAvatar: { response: SelfUser }
  listSessions: { response: Session[] }
  endOtherSessions: { body: EndSessionsBody }
  listSecurityLog: { query: SecurityLogQuery; response: SecurityLogEntry[] }
  listBlocks: { response: Block[] }
  listSecondFactors: { response: SecondFactors }
  startTotp: { body: RecentProof; response: TotpSetUp }
  confirmTotp: { body: ConfirmTotpBody; response: NewRecoveryCodes }
  removeTotp: { body: RecentProof }
  createPasskeyOptions: { body: RecentProof; response: PasskeyCreationOptions }
  addPasskey: { body: AddPasskeyBody; response: AddedPasskey }
  createPasskeyProofOptions: { response: PasskeyRequestOptions }
  removePasskey: { body: RecentProof }
  renewRecoveryCodes: { body: RecentProof; response: NewRecoveryCodes }
  createServer: { body: CreateServerBody; response: Server }
  getServer: { response: Server }
  updateServer: { body: UpdateServerBody; response: Server }
  listCurrentUserServers: { response: UserServer[] }
  listOwnershipTransfers: { response: OwnershipTransfer[] }
  offerOwnership: { body: OfferOwnershipBody; response: OwnershipTransfer }
  acceptOwnership: { body: AcceptOwnershipBody; response: Server }
  setServerIcon: { body: Blob; response: Server }
  deleteServerIcon: { response: Server }
  listAuditLog: { query: AuditLogQuery; response: AuditLogEntry[] }
  listChannels: { response: Channel[] }
  createChannel: { body: CreateChannelBody; response: Channel }
  moveChannels: { body: MoveChannelsBody }
  getChannel: { response: Channel }
  updateChannel: { body: UpdateChannelBody; response: Channel }
  listDirectMessages: { query: PageQuery; response: Channel[] }
  openDirectMessage: { body: CreateDmBody; response: Channel }
  updateDirectMessage: { body: UpdateDmBody }
  putOverwrite: { body: OverwriteBody }
  listRoles: { response: Role[] }
  createRole: { body: CreateRoleBody; response: Role }
  moveRoles: { body: MoveRolesBody; response: Role[] }
  updateRole: { body: UpdateRoleBody; response: Role }
  listMembers: { query: MembersQuery; response: Member[] }
  getMember: { response: Member }
  getCurrentUserMember: { response: Member }
  updateMember: { body: UpdateMemberBody; response: Member }
  listBans: { query: PageQuery; response: Ban[] }
  getBan: { response: Ban }
  createBan: { body: CreateBanBody }
  createBans: { body: CreateBansBody; response: CreatedBans }
  listInvites: { query: InvitesQuery; response: ServerInvite[] }
  createInvite: { body: CreateInviteBody; response: Invite }
  getInvite: { response: InvitePreview }
  acceptInvite: { response: Server }
  listMessages: { query: PageQuery; response: Message[] }
  createMessage: { body: CreateMessageBody; response: Message }
  getMessage: { response: Message }
  updateMessage: { body: UpdateMessageBody; response: Message }
  reportMessage: { body: CreateReportBody; response: Report }
  reportMember: { body: CreateReportBody; response: Report }
  listReports: { query: ReportsQuery; response: ReportDetails[] }
  updateReport: { body: UpdateReportBody; response: Report }
  markChannelRead: { body: MarkReadBody }
  createApplication: { body: CreateApplicationBody; response: CreatedApplication }
  listApplications: { response: Application[] }
  getApplication: { response: Application }
  updateOwnApplication: { body: UpdateOwnApplicationBody; response: OwnApplication }
  updateApplication: { body: UpdateApplicationBody; response: Application }
  setApplicationIcon: { body: Blob; response: Application }
  resetClientSecret: { response: ClientSecret }
  createBot: { body: CreateBotBody; response: CreatedBot }
  resetBotToken: { response: BotToken }
  listApplicationCommands: { response: RegisteredCommand[] }
  listCommands: { response: RegisteredCommand[] }
  replaceCommands: { body: InferInput<typeof CommandsInput>; response: RegisteredCommand[] }
  listServerCommands: { response: RegisteredCommand[] }
  replaceServerCommands: { body: InferInput<typeof CommandsInput>; response: RegisteredCommand[] }
  listServerCommandPermissions: { response: ServerCommand[] }
  replaceServerCommandPermissions: { body: CommandOverrides; response: ServerCommand }
  listBoundApplications: { response: BoundApplication[] }
  listSignInFailures: { response: SignInFailure[] }
  listIntegrations: { response: Integration[] }
  listAvailableCommands: { response: AvailableCommand[] }
  createInteraction: { body: RunInteractionBody; response: RunInteractionResponse }
  getInteraction: { response: InteractionStatus }
  listInteractions: { query: LimitQuery; response: InteractionLogEntry[] }
  autocompleteOption: { body: AutocompleteBody; response: AutocompleteResponse }
  tryCommand: { body: TryBody; response: TryResponse }
  createCallback: { body: CallbackBody; response: CallbackResponse }
  createFollowup: { body: ResponseData; response: Message }
  updateFollowup: { body: UpdateMessageBody; response: Message }
  getOriginalResponse: { response: Message }
  updateOriginalResponse: { body: UpdateMessageBody; response: Message }
  listWebhooks: { response: Webhook[] }
  listServerWebhooks: { response: Webhook[] }
  createWebhook: { body: CreateWebhookBody; response: Webhook }
  updateWebhook: { body: UpdateWebhookBody; response: Webhook }
  executeWebhook: {
    query: InferOutput<typeof WaitQuery>
    body: WebhookMessageBody
    response: DiscordMessage | undefined
  }
  getWebhookByToken: { response: DiscordWebhook }
  updateWebhookByToken: { body: InferOutput<typeof WebhookUpdate>; response: DiscordWebhook }
  resetWebhookToken: { response: Webhook }
  listDeliveries: { response: WebhookDelivery[] }
  getWebhookMessage: { response: DiscordMessage }
  updateWebhookMessage: { body: WebhookMessageEdit; response: DiscordMessage }
  executeSlackWebhook: { body: InferOutput<typeof SlackPayload>; response: string }
  executeGithubWebhook: { body: InferOutput<typeof GithubEvent> }
  authorize: { query: InferOutput<typeof AuthorizeParameters>; response: string }
  authorizeByForm: { body: InferOutput<typeof AuthorizeParameters> }
  createToken: { body: InferOutput<typeof TokenRequestParameters>; response: TokenResponse }
  revokeToken: { body: InferOutput<typeof RevocationParameters>; response: EmptyObject }
  introspectToken: { body: InferOutput<typeof IntrospectParameters>; response: Introspection }
  getUserInfo: { response: UserInfo }
  getUserInfoByForm: { body: InferOutput<typeof UserInfoParameters>; response: UserInfo }
  listKeys: { response: KeySet }
  getOpenidConfiguration: { response: Discovery }
  getAuthorizationServerMetadata: { response: Discovery }
  startLogout: { query: InferOutput<typeof LogoutParameters>; response: string }
  startLogoutByForm: { body: InferOutput<typeof LogoutParameters> }
  listAuthorizations: { response: Authorization[] }
  getGateway: { response: GatewayResponse }
  getBotGateway: { response: BotGatewayResponse }
  getImage: { response: Uint8Array | string }
  getHealth: { response: { status: 'ok'; connection?: object } }
  getReadiness: { response: { status: 'ok' } }
  getMetrics: { response: string }
  getVersion: { response: { version: string } }
  getOpenapi: { response: object }
  getAsyncapi: { response: object }
  listAdminUsers: { query: AdminListQuery; response: AdminUser[] }
  getAdminUser: { response: AdminUserDetails }
  updateAdminUser: { body: UpdateAdminUserBody; response: AdminUser }
  endAdminUserSessions: { body: RecentProof }
  resetAdminUserSecondFactor: { body: RecentProof }
  listAdminReports: { query: ReportsQuery; response: Report[] }
  getAdminReport: { response: ReportDetails }
  updateAdminReport: { body: UpdateReportBody; response: Report }
  listAdminServers: { query: AdminListQuery; response: AdminServer[] }
  updateAdminServer: { body: UpdateAdminServerBody; response: AdminServer }
  deleteAdminServer: { body: RecentProof }
  listAdminApplications: { query: AdminListQuery; response: AdminApplication[] }
  updateAdminApplication: { body: UpdateAdminApplicationBody; response: AdminApplication }
  deleteAdminApplication: { body: RecentProof }
  getInstanceSettings: { response: InstanceSettings }
  updateInstanceSettings: { body: UpdateInstanceSettingsBody; response: InstanceSettings }
  setInstanceLogo: { body: Blob; response: InstanceSettings }
  deleteInstanceLogo: { response: InstanceSettings }
  getAdminHealth: { response: AdminHealth }
  listInstanceAuditLog: { query: AuditLogQuery; response: AuditLogEntry[] }
}

/** Undefined if the operation has no such part. That of a page is unknown. */
type Part<Id extends EndpointId, Name extends string> = Id extends PageId
  ? unknown
  : Id extends keyof OperationTypes
    ? OperationTypes[Id] extends { [N in Name]: infer Type }
      ? Type
      : undefined
    : undefined

export type QueryOf<Id extends EndpointId> = Part<Id, 'query'>
export type BodyOf<Id extends EndpointId> = Part<Id, 'body'>
export type ResponseOf<Id extends EndpointId> = Part<Id, 'response'>

/** A member of a request, which may be absent if all of its members may. */
type RequestMember<Name extends string, Type> = [Type] extends [undefined]
  ? unknown
  : Record<never, never> extends Type
    ? { [N in Name]?: Type | undefined }
    : { [N in Name]: Type }

type Query<Type> = { readonly [Name in keyof Type]: Type[Name] | undefined }

/** What a client sends: the parameters of the path, `query` and `body`. */
export type RequestOf<Id extends EndpointId> = PathParameters<Id> &
  RequestMember<'query', [QueryOf<Id>] extends [undefined] ? undefined : Query<QueryOf<Id>>> &
  RequestMember<'body', BodyOf<Id>>

/** The arguments of a function that sends a request: `request` may be absent if all of its members may. */
export type RequestArguments<Id extends EndpointId, Options = unknown> =
  Record<never, never> extends RequestOf<Id>
    ? [request?: RequestOf<Id> & Options]
    : [request: RequestOf<Id> & Options]
