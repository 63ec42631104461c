/**
 * The limits of docs/spec/limits.md and of docs/decisions/. Lengths are in code points after trimming
 * (limits/text-length), sizes in bytes, times in the unit of the name.
 */

const minute = 60
const hour = 60 * minute
const day = 24 * hour

// Sign-in
export const maxRedirectUris = 10
export const maxRedirectUriLength = 2048
/** The lifetime of a logout token (OpenID Connect Back-Channel Logout §2.4: at most two minutes). */
export const logoutTokenSeconds = 2 * minute
/** The timeout for the response of an application to a back-channel logout request. */
export const backchannelLogoutMs = 5000
export const authorizationCodeSeconds = 5 * minute
export const accessTokenSeconds = 7 * day
export const refreshTokenSeconds = 60 * day
export const idTokenSeconds = hour
/** Of an application with `refreshGrace` (sign-in/refresh-grace). */
export const applicationRefreshGraceSeconds = 10
/** Of the `state` of an authorization request, after decoding (sign-in/state). */
export const maxStateBytes = 8000
/**
 * Of the query of an authorization request: a `state` with three characters for each byte, and 4,000 characters for the
 * rest.
 */
export const maxRequestQuery = 28_000
/** Of the request line and all header fields: the query, and 12 KiB for the rest. */
export const maxHeaderBytes = 40 * 1024
export const minCodeVerifier = 43
export const maxCodeVerifier = 128
/** RFC 7636 §4.2: BASE64URL of a SHA-256 hash. */
export const codeChallengeLength = 43
/** From the last use of the session (sign-in/session-lifetime). */
export const sessionSeconds = 30 * day
/** From the sign-in, also if the session is in use (sign-in/session-lifetime). */
export const maxSessionSeconds = 90 * day
/** Of a grant: the reuse of an older one is only invalid (sign-in/refresh-reuse). */
export const maxUsedRefreshTokens = 100
/** Applications that are told when a session ends; further ones are not. */
export const maxSignInsOfSession = 200
/** The same for all sessions of a user, which a change of the password ends. */
export const maxSignInsOfUser = 1000
/** A signing key is published this long before its first use (sign-in/key-rotation). */
export const keyLeadSeconds = day

/** At most `count` in any `seconds` (limits/rates). */
export interface Rate {
  count: number
  seconds: number
}

/**
 * All rate limits, by the name that `RATE_LIMITS` uses. `RATE_LIMITS=off` removes them, and
 * `RATE_LIMITS=messages=120/60` changes one (limits/rates).
 */
export const rates = {
  // Per user or bot
  /** All requests of a user or bot. A burst of twice the count is allowed. */
  requests: { count: 50, seconds: 1 },
  /**
   * Requests with the tokens of interactions, of an application, but for those that send or edit a message
   * (limits/responses). A burst of twice the count is allowed.
   */
  responses: { count: 50, seconds: 1 },
  /** New messages in one channel. */
  channelMessages: { count: 10, seconds: 10 },
  /** New messages of a user in all channels. Not for bots. */
  messages: { count: 60, seconds: minute },
  /** Uses of commands, buttons and select menus. */
  interactions: { count: 20, seconds: 10 },
  /** Requests for the choices of an option while the user types. */
  autocompletes: { count: 20, seconds: 5 },
  /** Follow-ups of a bot and edits of its responses, in one channel (limits/followups). */
  followups: { count: 300, seconds: minute },
  /**
   * KiB of ephemeral messages of a bot, new ones and edits (limits/ephemerals). A burst of twice the count is allowed.
   */
  ephemeralKibibytes: { count: 3840, seconds: minute },
  // Creations
  /** Authorization codes, of all applications. */
  authorizations: { count: 600, seconds: minute },
  servers: { count: 10, seconds: hour },
  applications: { count: 10, seconds: hour },
  channels: { count: 60, seconds: 10 * minute },
  /** Changes of the order of channels. Each may move all channels of a server, which its members receive. */
  channelMoves: { count: 60, seconds: 10 * minute },
  roles: { count: 60, seconds: 10 * minute },
  webhooks: { count: 60, seconds: 10 * minute },
  invites: { count: 60, seconds: 10 * minute },
  /** Changes of the own profile, which all servers of the user receive. */
  profiles: { count: 60, seconds: 10 * minute },
  /** Changes of a bot by itself (bots/self-description). */
  selfDescriptions: { count: 2, seconds: hour },
  /** Checks of an interactions endpoint, which send requests to a host that the user chose. */
  endpointChecks: { count: 120, seconds: 10 * minute },
  /** Reports of messages and members. */
  reports: { count: 10, seconds: 10 * minute },
  /** Mails with which an administrator tests the mail server. */
  testMails: { count: 10, seconds: 10 * minute },
  /** Uploaded images of all kinds. */
  images: { count: 20, seconds: 10 * minute },
  /** Identifies on the gateway. */
  identifies: { count: 60, seconds: minute },
  /** Resumes on the gateway, also rejected ones. */
  resumes: { count: 60, seconds: minute },

  // Per IP address
  /** Successful sign-ins. */
  signIns: { count: 30, seconds: minute },
  /** Requests that send an email. */
  mailRequests: { count: 10, seconds: minute },
  registrations: { count: 20, seconds: hour },
  /** Requests with invite codes that do not exist or are no longer valid. */
  unknownInvites: { count: 60, seconds: 10 * minute },
  wrongPasswordsOfAddress: { count: 100, seconds: 10 * minute },

  // Per account
  /** Emails that are sent to the user. */
  mails: { count: 5, seconds: hour },
  wrongPasswordsOfAccount: { count: 1000, seconds: 10 * minute },
  /** Correct and wrong passwords with which a signed-in user confirms a change, and new passwords by mail. */
  passwordConfirmations: { count: 60, seconds: 10 * minute },
  /** From one IP address. */
  wrongPasswords: { count: 10, seconds: 10 * minute },
  /** Wrong codes of the second factor. */
  wrongCodes: { count: 10, seconds: 10 * minute },

  // Per grant
  /** Refreshes of its tokens (sign-in/refresh-rate). */
  refreshes: { count: 60, seconds: minute },

  // Per client and IP address
  wrongClientSecrets: { count: 60, seconds: minute },

  // Per webhook (webhooks/rate-limit)
  webhookPosts: { count: 5, seconds: 2 },
  /** Edits and deletions of messages and of the webhook. */
  webhookEdits: { count: 5, seconds: 2 },
  /** Fetches of the external pictures of one webhook or bot. */
  externalPictures: { count: 60, seconds: minute },
  /** Fetches of external pictures from one host, with redirects. */
  externalPictureHosts: { count: 120, seconds: minute },
  /**
   * 404 responses to one IP address. Then its requests for unknown webhooks get 429 for `seconds`
   * (webhooks/unknown-webhook-limit).
   */
  webhookNotFound: { count: 300, seconds: minute },
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof rates

/** Requests of a user or bot that a node handles at the same time (limits/concurrent-requests). */
export const maxConcurrentRequests = 5

/** A JSON response counts as one more request for each time that it has this many bytes (limits/response-size). */
export const responseBytesPerRequest = 16 * 1024

/**
 * A JSON, form or text body counts as one more request for each time that it has this many bytes (limits/request-size).
 */
export const requestBytesPerRequest = 16 * 1024

/** A list of servers counts as one more request for each time that it reads this many roles (limits/requests). */
export const rolesPerRequest = 500

/** The rates of a route, per user or bot. `channelMessages` counts by the path parameter `id` too. */
export type UserRateName =
  | 'channelMessages'
  | 'messages'
  | 'interactions'
  | 'autocompletes'
  | 'servers'
  | 'applications'
  | 'channels'
  | 'channelMoves'
  | 'roles'
  | 'webhooks'
  | 'invites'
  | 'profiles'
  | 'selfDescriptions'
  | 'reports'
  | 'testMails'
  | 'images'

// Second factor
/** The longest time between the password and the second factor, and the lifetime of a passkey challenge. */
export const secondFactorSeconds = 5 * minute
/** For this time after a sign-in, the user can add and remove second factors without the password. */
export const recentProofSeconds = 10 * minute
export const recoveryCodes = 10
export const maxPasskeys = 20
export const maxPasskeyName = 64

// Users
export const minUsername = 2
export const maxUsername = 32
/** The regular expression of one character. */
export const usernameCharacter = '[a-z0-9_.]'
export const maxDisplayName = 32
export const minPassword = 8
export const maxPassword = 256
/** RFC 5321 §4.5.3.1.3: a path has up to 256 octets, including its two angle brackets. */
export const maxEmail = 254
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export const maxImageBytes = 1024 * 1024
/** Width times height, of all frames together. */
export const maxImagePixels = 16_777_216
export const maxImageFrames = 1000
/** As it is received. */
export const maxExternalPictureBytes = 5 * 1024 * 1024
/** The images of all kinds that a user uploaded and that are in use. */
export const maxStoredImageBytes = 64 * 1024 * 1024
/** Only the former user can take a username that they gave up (community/former-usernames). */
export const formerUsernameSeconds = 90 * day
/** Former usernames of a user that others cannot take yet. */
export const maxFormerUsernames = 10
/** A new session ends the one that was used least recently (limits/caps). */
export const maxSessions = 50
/** Entries of each kind in the security log of a user; a new one replaces the oldest. */
export const maxSecurityLogEntries = 50
/** Days after which an entry of a security log is deleted. */
export const securityLogDays = 90
/** Browsers of a user whose next sign-in sends no mail; a new one replaces the one that was used least recently. */
export const maxKnownDevices = 20
/** Users and bots that a user blocks. */
export const maxBlocks = 1000

// Servers, channels, roles, invites
/** Servers that a user is a member of. Not for bots. */
export const maxServers = 200
export const maxOwnedServers = 50
/** The offer of a server to a member ends after this time (community/ownership-transfer). */
export const ownershipTransferSeconds = 7 * day
/** Bound applications that a request can name (sign-in/binding-decision). */
export const maxKeptApplications = 1000
/** Channels of a server. */
export const maxChannels = 500
/** Roles of a server, including @everyone. */
export const maxRoles = 250
/** Overwrites of a channel. */
export const maxOverwrites = 250
/** Roles, and members, that are let in when a private channel is created. */
export const maxAdmitted = 50
/** Overwrites of all channels of a server: the list of channels contains them all. */
export const maxServerOverwrites = 2000
/** Invites of a server that are valid. */
export const maxInvites = 200
export const maxServerName = 100
/** Of the name of the community. */
export const maxInstanceName = 60
export const maxChannelName = 100
export const maxTopic = 1024
/** Seconds between two messages of a member in a channel (community/slow-mode). */
export const maxSlowMode = 6 * hour
export const maxBanReason = 512
export const maxAuditReason = 512
/** Days after which an entry of an audit log is deleted. */
export const auditDays = 90
/** The users whom one request can ban. */
export const maxBannedTogether = 200
/** Of the messages that a ban deletes. */
export const maxDeletedMessageSeconds = 7 * day
export const maxTimeoutSeconds = 28 * day
/** The verification level `member` needs a membership of this time (community/verification-level). */
export const newMemberSeconds = 10 * minute
export const maxRoleName = 100
export const maxPosition = 10_000
export const maxColor = 0xff_ff_ff
export const maxInviteUses = 10_000
export const minInviteSeconds = minute
export const maxInviteSeconds = 30 * day
export const defaultInviteSeconds = 7 * day

// Reports
export const maxReportReason = 512
/** Open reports of a user on one server, or of direct messages (limits/caps). */
export const maxOpenReports = 25
/** Days after which a report that was resolved or dismissed is deleted. */
export const reportDays = 90
/** Moderators and administrators who receive the events of a report. */
export const maxReportRecipients = 500

// Lists
export const maxListLimit = 100
export const defaultListLimit = 50

// Read state
/** The service counts unread mentions of a channel up to this number. Clients show it as `99+`. */
export const maxMentionCount = 100
/** Read states in READY: those of the channels with the newest messages. */
export const maxReadStates = 5000

// Messages of users, bots and webhooks (community/message-length, webhooks/content-length)
export const maxContent = 2000
export const maxNonce = 64
export const maxMentionIds = 100

// Embeds (webhooks/embed-limits)
export const maxEmbeds = 10
export const maxEmbedTitle = 256
export const maxEmbedDescription = 4096
export const maxEmbedFields = 25
export const maxFieldName = 256
export const maxFieldValue = 1024
export const maxFooterText = 2048
export const maxAuthorName = 256
/** For all embeds of a message together (webhooks/embed-total). URLs do not count (webhooks/bodies). */
export const maxEmbedTotal = 6000
export const maxUrl = 2048

// Components (community/messages)
export const maxRows = 5
export const maxButtonsPerRow = 5
export const maxButtonLabel = 80
export const maxCustomId = 100
export const maxButtonUrl = 512
export const maxEmoji = 32
/** Options of a select menu, and values that a user can select in it. */
export const maxSelectOptions = 25
export const maxSelectLabel = 100
export const maxSelectDescription = 100
export const maxSelectValue = 100
export const maxSelectPlaceholder = 150

// Modals
export const maxTextInputs = 5
export const maxModalTitle = 45
export const maxTextInputLabel = 45
export const maxTextInputDescription = 100
export const maxTextInputPlaceholder = 100
/** The text that a user enters. */
export const maxTextInput = 4000

// Applications and commands
export const maxApplications = 25
export const maxApplicationName = 64
export const maxApplicationDescription = 1000
/** Slash commands in a set. */
export const maxCommands = 100
/** Commands in the menus of users, and of messages, in a set. */
export const maxUserCommands = 15
export const maxMessageCommands = 15
/** What a set of commands had for files: in each set, and the sets of an application. */
export const maxNotRegistered = 50
export const maxSetsNotRegistered = 20
/** The overrides of one command in one server (bots/command-overrides). */
export const maxCommandOverrides = 100
/** The overrides of all commands in one server. */
export const maxServerCommandOverrides = 2000
export const maxCommandName = 32
export const maxCommandDescription = 100
export const maxOptions = 25
/** Languages of a name or description. */
export const maxLocalizations = 50
export const maxChoices = 25
export const maxChoiceName = 100
/** The string value of a choice (bots/command-set). */
export const maxChoiceValue = 100
/** A string that a user enters for an option. */
export const maxOptionValue = 6000

// Interactions
export const firstResponseMs = 3000
export const interactionTokenSeconds = 15 * minute
/** The response of an interactions endpoint (bots/outgoing-requests). */
export const maxEndpointResponseBytes = 256 * 1024
/**
 * Ephemeral messages of an application, and their bytes as JSON (bots/ephemeral). Those of `maxApplications` of an
 * account are about half of the store, which has 100,000 keys and 64 MiB.
 */
export const maxEphemerals = 2000
export const maxEphemeralBytes = 2 * 1024 * 1024
/**
 * Interactions that wait for a gateway session of the bot, of a user and of an application (bots/interaction-delivery).
 */
export const maxWaitingOfUser = 20
export const maxWaitingOfApplication = 500

// Failures of sign-ins
/** The log of an application contains this number of its last failures, each for 7 days (sign-in/failures). */
export const maxSignInFailures = 100
export const signInFailureDays = 7
export const maxSignInFailureReason = 400
/** A node writes at most this number of different failures of an application in a second, the others are not kept. */
export const maxFailuresPerWrite = 10
/** And those of at most this number of applications. */
export const maxFailedApplications = 100

// Webhooks
export const maxWebhooksPerChannel = 15
export const maxWebhookName = 80
/** The delivery log of a webhook contains this number of its last deliveries. */
export const maxWebhookDeliveries = 100
/** The delivery log contains this part of the body of a rejected request. */
export const maxDeliveryBodyBytes = 1024
/** And this number of its invalid fields. */
export const maxDeliveryErrors = 50
export const maxDeliveryContentType = 200
/** A delivery with the same X-GitHub-Delivery within this time is a duplicate and is not posted (webhooks/github). */
export const githubDeliverySeconds = 15 * minute
/**
 * The text of a Slack message that is longer than `maxContent` becomes an embed description
 * (webhooks/slack-conversion).
 */
export const maxSlackDescription = maxEmbedDescription
export const maxSlackAttachments = 10

// Bodies (webhooks/body-size, webhooks/bodies, community/message-length)
export const maxBodyBytes = 1024 * 1024
/** Of an event of GitHub, which has the names of all changed files (webhooks/github-size). */
export const maxGithubBodyBytes = 8 * 1024 * 1024
/** Events of more than `maxBodyBytes` that a node reads at the same time. */
export const maxLargeBodies = 8
/** Of a JSON body that anybody may send, before a rate has counted it (limits/anonymous-body). */
export const maxAnonymousBodyBytes = 64 * 1024
export const maxFormFields = 1000
/** Levels of nested arrays and objects. */
export const maxJsonDepth = 32
/** Commas, arrays and objects of a JSON body (limits/json-values). */
export const maxJsonValues = 50_000
export const bodySeconds = 30

// Gateway
export const heartbeatIntervalMs = 41_250
export const identifyTimeoutMs = 10_000
export const missedHeartbeats = 2
export const resumeEvents = 1024
export const resumeSeconds = 2 * minute
export const maxFrameBytes = 4096
/** Connections of one user or bot. */
export const maxConnections = 25
/** Shards of one bot (gateway/shards). */
export const maxShards = 1024
/** The service advises one shard for each time that a bot is on this many servers. */
export const serversPerShard = 1000
/** Connections from one IP address that have not identified. */
export const maxUnidentifiedConnections = 100
/** Bytes that the service has queued for slow clients: of one connection, of one user or bot, and of the process. */
export const maxQueuedBytes = 1024 * 1024
export const maxQueuedBytesOfUser = 8 * 1024 * 1024
export const maxQueuedBytesOfProcess = 256 * 1024 * 1024
/** `RATE_LIMITS=off` does not remove this limit (gateway/frame-limit). */
export const framesPerWindow = 120
export const frameWindowMs = 60_000

/** The caps by the names of the error `limit_reached` (limits/caps). */
export const caps = {
  servers: maxServers,
  ownedServers: maxOwnedServers,
  channels: maxChannels,
  roles: maxRoles,
  overwrites: maxOverwrites,
  serverOverwrites: maxServerOverwrites,
  commandOverrides: maxServerCommandOverrides,
  applications: maxApplications,
  invites: maxInvites,
  blocks: maxBlocks,
  openReports: maxOpenReports,
  imageMebibytes: maxStoredImageBytes / 1024 ** 2,
  formerUsernames: maxFormerUsernames,
} as const

export type CapName = keyof typeof caps
