type DatabaseTarget = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

/** Parses `sqlite:PATH` or `postgres://…`. The error does not contain the URL, which can include a password. */
export function parseDatabaseUrl(url: string): DatabaseTarget {
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  if (path !== undefined) return { engine: 'sqlite', path }
  if (/^postgres(ql)?:\/\//.test(url)) return { engine: 'postgres', url }
  throw new Error('expected sqlite:PATH or postgres://…')
}

export interface PostgresAddress {
  host: string
  port: number
}

interface ParsedUrl {
  /** With the first host and without `target_session_attrs`, for the driver. */
  url: string
  /** Empty if the URL names none. */
  hosts: PostgresAddress[]
  /** Whether a server that does not accept writes is passed over. */
  needsPrimary: boolean
}

/**
 * Parses `postgres://user:password@a:5432,b:5432/database?target_session_attrs=read-write`, as libpq does. Errors do
 * not contain the URL, which may have a password.
 */
export function parsePostgresUrl(url: string): ParsedUrl {
  const [, start = '', authority = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/.exec(url) ?? []
  const names = authority === '' ? [] : authority.split(',')
  const hosts = names.map(name => {
    const [, host = '', port = '5432'] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(name) ?? []
    if (host === '')
      throw new Error(
        'DATABASE_URL must be postgres://user@host:port/database; hosts are separated by commas',
      )
    return { host: decodeURIComponent(host.replace(/^\[|\]$/g, '')), port: Number(port) }
  })
  const parameters = new URLSearchParams(query)
  const target = parameters.get('target_session_attrs')
  if (target !== null && !['read-write', 'primary', 'any'].includes(target)) {
    throw new Error('target_session_attrs of DATABASE_URL must be read-write, because the service writes')
  }
  parameters.delete('target_session_attrs')
  const rest = parameters.size === 0 ? '' : `?${parameters}`
  return {
    url: `${start}${names[0] ?? ''}${path}${rest}`,
    hosts,
    // Of several servers only one accepts writes.
    needsPrimary: hosts.length > 1 || (target !== null && target !== 'any'),
  }
}
