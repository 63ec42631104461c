type DatabaseTarget = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

/** `sqlite:PATH` or `postgres://…`. The error does not repeat the address: it may hold a password. */
export function splitDatabaseUrl(url: string): DatabaseTarget {
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  if (path !== undefined) return { engine: 'sqlite', path }
  if (/^postgres(ql)?:\/\//.test(url)) return { engine: 'postgres', url }
  throw new Error('DATABASE_URL is neither sqlite:PATH nor postgres://…')
}
