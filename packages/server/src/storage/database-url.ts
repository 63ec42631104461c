type DatabaseTarget = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

/** Parses `sqlite:PATH` or `postgres://…`. The error does not contain the URL, which can include a password. */
export function parseDatabaseUrl(url: string): DatabaseTarget {
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  if (path !== undefined) return { engine: 'sqlite', path }
  if (/^postgres(ql)?:\/\//.test(url)) return { engine: 'postgres', url }
  throw new Error('DATABASE_URL must be sqlite:PATH or postgres://…')
}
