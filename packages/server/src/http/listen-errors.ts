/** An error of `listen` that names the variable to change. */
export function describeListenError(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reason = reasons[String(code)]?.(host, port)
  return reason === undefined ? error : new Error(`${reason} (${code})`, { cause: error })
}

const unknownHost = (host: string) => `HOST: ${host} is not the name of an address`

const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `PORT: another process listens on port ${port} of ${host}. Stop it, or set PORT to a free port`,
  EACCES: (host, port) =>
    `PORT: this user may not listen on port ${port} of ${host}. Set PORT to 1024 or more, and put a proxy in front`,
  EADDRNOTAVAIL: host => `HOST: ${host} is not an address of this machine`,
  EAFNOSUPPORT: host => `HOST: this machine does not support the kind of address of ${host}`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
}
