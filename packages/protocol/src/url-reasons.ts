/** Why a URL is refused, wherever one is accepted: `reason` and `message` of a violation with the code `invalid_url`. */
export const urlReasons = {
  scheme: 'must start with http:// or https://',
  https: 'must start with https://; http:// is accepted only for addresses in ALLOW_PRIVATE_TARGETS',
  redirect_https: 'must start with https://; http:// is accepted only for localhost, 127.0.0.1 and [::1]',
  redirect_scheme:
    'must start with https://, or with a private-use scheme that has a dot in its name, such as com.example.app:/',
  absolute: 'must be an absolute URL, such as https://example.org/path',
  host: 'must have a domain name or an IP address as its host',
  port: 'must have a port between 0 and 65535',
  credentials: 'must not contain a user name or a password',
  fragment: 'must not contain a fragment (#)',
  control_characters: 'must not contain control characters such as tabs or line breaks',
  characters: 'must not contain spaces or other characters that RFC 3986 does not allow in a URL',
  private_address: 'must not lead to a private address',
} as const

export type UrlReason = keyof typeof urlReasons

export const urlReasonNames = Object.keys(urlReasons).filter((name): name is UrlReason => name in urlReasons)
