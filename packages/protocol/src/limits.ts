/**
 * Every number of the specification's Limits and of the decisions. Lengths are code points after trimming (limits/text-length), sizes
 * bytes, times as the name says.
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
export const accessTokenSeconds = 604_800
export const refreshTokenSeconds = 60 * day
export const idTokenSeconds = hour
export const minCodeVerifier = 43
export const maxCodeVerifier = 128
/** RFC 7636 §4.2: BASE64URL of a SHA-256 sum. */
export const codeChallengeLength = 43
/** sign-in/session-lifetime: from the last use. */
export const sessionSeconds = 30 * day
/** sign-in/key-rotation: how long a signing key is published before its first use. */
export const keyLeadSeconds = day

// Guessing (sign-in/client-guessing): how many in how many seconds
export const wrongPasswordsPerAccountAndAddress = 10
export const wrongPasswordsPerAddress = 100
export const wrongPasswordsPerAccount = 1000
export const wrongPasswordWindowSeconds = 10 * minute
export const wrongSecretsPerMinute = 60
export const registrationsPerHour = 20
export const mailsPerHour = 5
/** Requests with an invite code that does not exist or no longer works, from one address. */
export const unknownInvitesPerAddress = 60
export const unknownInviteWindowSeconds = 10 * minute
/** Of the second factor, of one account. */
export const wrongCodesPerAccount = 10
export const wrongCodeWindowSeconds = 10 * minute

// Second factor
/** The time between the password and the second factor, and the lifetime of a passkey challenge. */
export const secondFactorSeconds = 5 * minute
/** Within this time of a sign-in, factors are added and removed without the password. */
export const recentProofSeconds = 10 * minute
/** Until a new authenticator app has to show its first code. */
export const totpSetUpSeconds = 15 * minute
export const recoveryCodes = 10
export const maxPasskeys = 20
export const maxPasskeyName = 64

// People
export const minUsername = 2
export const maxUsername = 32
export const maxDisplayName = 32
export const minPassword = 8
export const maxPassword = 256
/** RFC 5321 §4.5.3.1.3: a path of 256 octets, less its two brackets. */
export const maxEmail = 254
export const maxImageBytes = 1024 * 1024

// Servers, channels, roles, invites
export const maxServerName = 100
export const maxChannelName = 100
export const maxTopic = 1024
export const maxRoleName = 100
export const maxPosition = 10_000
export const maxColor = 0xff_ff_ff
export const maxInviteUses = 10_000
export const minInviteSeconds = minute
export const maxInviteSeconds = 30 * day
export const defaultInviteSeconds = 7 * day

// Lists
export const maxListLimit = 100
export const defaultListLimit = 50

// Read state
/** Unread mentions of a channel are counted up to here, and shown as `99+`. */
export const maxMentionCount = 100

// Messages of people, bots and webhooks (community/message-length)
export const maxContent = 2000
export const maxNonce = 64
export const maxMentionIds = 100

// Embeds (the contract, Messages)
export const maxEmbeds = 10
export const maxEmbedTitle = 256
export const maxEmbedDescription = 4096
export const maxEmbedFields = 25
export const maxFieldName = 256
export const maxFieldValue = 1024
export const maxFooterText = 2048
export const maxAuthorName = 256
/** Over all embeds of a message; URLs do not count (webhooks/bodies). */
export const maxEmbedTotal = 6000
export const maxUrl = 2048

// Components (the contract, Messages)
export const maxRows = 5
export const maxButtonsPerRow = 5
export const maxButtonLabel = 80
export const maxCustomId = 100
export const maxButtonUrl = 512
export const maxEmoji = 32

// Applications and commands
export const maxApplicationName = 64
export const maxApplicationDescription = 1000
export const maxCommands = 100
export const maxCommandName = 32
export const maxCommandDescription = 100
export const maxOptions = 25
export const maxChoices = 25
export const maxChoiceName = 100
/** bots/command-names: of a choice's string value. */
export const maxChoiceValue = 100
/** bots/command-set: of a string that a person enters for an option. */
export const maxOptionValue = 6000

// Interactions
export const firstResponseMs = 3000
export const interactionTokenSeconds = 15 * minute
/** bots/outgoing-requests: of the answer of an interactions endpoint. */
export const maxEndpointAnswerBytes = 256 * 1024

// Webhooks
export const maxWebhooksPerChannel = 15
export const maxWebhookName = 80
/** webhooks/rate-limit: posts in any window of one webhook; edits and deletions have a window of their own of the same size. */
export const webhookPosts = 5
export const webhookWindowMs = 2000
/** webhooks/rate-limit: answers of 404 on webhook paths to one address in a minute, before it is put off for a minute. */
export const webhookMissesPerMinute = 300
/** Posts of one webhook that its log remembers, and how much of the body of a refused one. */
export const webhookDeliveries = 100
export const webhookDeliveryBytes = 1024
/** A delivery of GitHub with the same id within this time is the same (webhooks/github). */
export const githubDeliverySeconds = 15 * minute
/** webhooks/slack-conversion: text of a Slack message beyond `maxContent` becomes the description of an embed. */
export const maxSlackCardText = maxEmbedDescription
export const maxSlackAttachments = 10

// Bodies (webhooks/body-size, webhooks/bodies, community/message-length)
export const maxBodyBytes = 1024 * 1024
/** Of a form; one more is refused. */
export const maxFormFields = 1000
/** Nested arrays and objects; one more is refused. */
export const maxJsonDepth = 32
export const bodySeconds = 30

// Gateway
export const heartbeatIntervalMs = 41_250
export const identifyTimeoutMs = 10_000
export const missedHeartbeats = 2
export const resumeEvents = 1024
export const resumeSeconds = 2 * minute
export const maxFrameBytes = 4096
/** gateway/frame-limit: not lifted by `RATE_LIMITS=off`. */
export const framesPerWindow = 120
export const frameWindowMs = 60_000
