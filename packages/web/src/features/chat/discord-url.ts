type DiscordUrl =
  | { kind: 'channel'; serverId: string | null; channelId: string; messageId: string | undefined }
  | { kind: 'invite'; code: string }

const end = '/?(?:[?#].*)?$'
const channelUrl = new RegExp(
  `^https://(?:ptb\\.|canary\\.)?discord\\.com/channels/(@me|\\d{1,20})/(\\d{1,20})(?:/(\\d{1,20}))?${end}`,
)
const inviteUrl = new RegExp(`^https://discord\\.(?:gg|com/invite)/([\\w-]{1,64})${end}`)

/** What a URL of Discord means. `href` has passed `safeHref`, so its host is in lower case. */
export function readDiscordUrl(href: string): DiscordUrl | undefined {
  const [, server, channelId, messageId] = channelUrl.exec(href) ?? []
  if (server !== undefined && channelId !== undefined) {
    return { kind: 'channel', serverId: server === '@me' ? null : server, channelId, messageId }
  }
  const [, code] = inviteUrl.exec(href) ?? []
  return code === undefined ? undefined : { kind: 'invite', code }
}
