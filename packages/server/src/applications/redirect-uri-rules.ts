import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { UrlReason } from '@gatehouse/protocol/field-errors'
import { maxRedirectUriLength } from '@gatehouse/protocol/limits'
import { explainParseError } from '@gatehouse/protocol/urls'
import { isValidHost } from '../kit/host.ts'

/**
 * The URI of a text with characters outside of ASCII (RFC 3987 §3.1): the host as punycode, other characters
 * percent-encoded. It is stored and compared in this form. Returns other texts unchanged.
 */
export function toUri(text: string): string {
  // The conversion of a host takes quadratic time.
  if (/^\p{ASCII}*$/u.test(text) || text.length > maxRedirectUriLength || !text.isWellFormed()) return text
  const [, start = '', host = '', rest = ''] = /^(https?:\/\/)?([^/?#:@\\]*)(.*)$/is.exec(text) ?? []
  const ascii = start === '' ? host : domainToASCII(host)
  return `${start}${ascii === '' ? host : ascii}${rest}`.replace(/\P{ASCII}+/gu, encodeURIComponent)
}

/** Undefined for a valid redirect URI in ASCII (sign-in/redirect-uri-registration; RFC 9700 §2.6, RFC 8252 §7). */
export function findRedirectUriError(uri: string): UrlReason | undefined {
  // Browsers and this service interpret characters outside of RFC 3986 §2 differently.
  if (!/^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/.test(uri)) {
    if (uri === '') return 'absolute'
    return uri.includes('#') ? 'fragment' : 'characters'
  }
  if (!URL.canParse(uri)) return /^https?:\/\//i.test(uri) ? explainParseError(uri) : 'absolute'
  const url = new URL(uri)
  // The parser drops an empty user name.
  if (/^[^/?]+:\/\/[^/?]*@/.test(uri)) return 'credentials'
  if (!isHttp(url))
    return isPrivateUse(url.protocol) && uri.startsWith(`${url.protocol}/`) ? undefined : 'redirect_scheme'
  // The parser also takes `https:host` and `https:///host`.
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'absolute'
  if (!isValidHost(url.hostname)) return 'host'
  return url.protocol === 'https:' || isPrivateHost(uri, url) ? undefined : 'redirect_https'
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

/**
 * Whether a host is on the device of the user or in a private network, where there is no certificate. Reads the text
 * too: redirect URIs are compared as strings, so other spellings of the host do not match.
 */
function isPrivateHost(uri: string, { hostname }: URL): boolean {
  if (!uri.slice('http://'.length).toLowerCase().startsWith(hostname)) return false
  // RFC 1918, and loopback.
  if (isIP(hostname) === 4) return /^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(hostname)
  // Loopback, and unique local addresses (RFC 4193).
  if (hostname.startsWith('[')) return hostname === '[::1]' || /^\[f[cd][0-9a-f]{2}:/.test(hostname)
  return /(?:^|\.)localhost$|.\.(?:local|internal|lan|home\.arpa)$/.test(hostname)
}

/**
 * Schemes without a dot that browsers or operating systems handle themselves. All that start like `http` are rejected
 * too.
 */
const handledSchemes = new Set(
  `about afp android-app blob chrome chrome-extension cid content data devtools edge feed file
  filesystem ftp ftps geo git help imap intent irc itms itms-apps itms-services jar javascript ldap
  ldaps localhost magnet mailto market mhtml mid mk mms moz-extension news nfs nntp res resource rdp
  rtsp search search-ms sftp shell sip sips sms smsto smb ssh svn tag tel telnet urn vbscript
  view-source vnc wais webcal ws wss xmpp`.split(/\s+/),
)

/**
 * Whether a scheme can be one of a native application: RFC 8252 §7.1 requires a reversed domain name, but many have no
 * dot.
 */
function isPrivateUse(protocol: string): boolean {
  const scheme = protocol.slice(0, -1)
  // One letter is a drive of Windows, and Windows handles `ms-` except for the URIs of its applications.
  return (
    /^[a-z][a-z0-9+-]+(?:\.[a-z0-9+-]+)*$|^[a-z](?:\.[a-z0-9+-]+)+$/.test(scheme) &&
    !handledSchemes.has(scheme) &&
    !/^(?:h[tx]+p|ms-(?!app$))/.test(scheme)
  )
}
