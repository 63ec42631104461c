import { spawn } from 'node:child_process'

export interface Ended {
  /** The exit code; 1 where a signal ended it, 127 where it could not be started. */
  code: number
  /** What it wrote to both streams, in order, where it was captured. */
  output: string
  seconds: number
}

interface Options {
  cwd: string
  env?: NodeJS.ProcessEnv
  /** `show` hands the streams of this process on; `capture` keeps what is written. */
  output: 'show' | 'capture'
  /** The command and all that it started are ended after this many milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Aborts when this process is told to stop, so that whoever runs something ends it and tidies up before leaving. Told
 * again (npm hands on what the terminal has already sent) it goes on tidying up.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort())
  return controller.signal
}

/**
 * Runs a command in a process group of its own, and leaves nothing of that group behind, however it ended. Resolves,
 * with code 1, on a timeout and when `signal` aborts too.
 */
export async function runCommand(command: string, args: readonly string[], options: Options): Promise<Ended> {
  const start = performance.now()
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: options.output === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number>(resolve => {
    // `exit`, not `close`: a grandchild that keeps a stream open must not keep this waiting.
    child.once('exit', code => setImmediate(resolve, code ?? 1))
    child.once('error', error => {
      output += error.message
      resolve(127)
    })
  })
  const stop = () => endGroup(child.pid)
  function stopLate(): void {
    const reason = `${command}: ended after ${options.timeoutMs / 1000} s`
    output += `\n${reason}`
    if (options.output === 'show') console.error(reason)
    stop()
  }
  const timer = setTimeout(stopLate, options.timeoutMs)
  options.signal.addEventListener('abort', stop)
  if (options.signal.aborted) stop()
  const code = await ended
  clearTimeout(timer)
  options.signal.removeEventListener('abort', stop)
  stop()
  return { code, output, seconds: (performance.now() - start) / 1000 }
}

/** Ends whatever is left of the process group that `pid` leads. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: nothing is left of it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
