import { spawn } from 'node:child_process'

export interface CommandResult {
  /** The exit code. 1 if a signal ended the process, 127 if it could not be started. */
  code: number
  /** Both output streams in order, if captured. */
  output: string
  seconds: number
}

interface Options {
  cwd: string
  env?: NodeJS.ProcessEnv
  /** `show` inherits the streams of this process; `capture` returns their text. */
  output: 'show' | 'capture'
  /** After this time, the process group is killed. */
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Aborts on SIGINT or SIGTERM, so that the caller can stop its children and clean up. A second signal is ignored: npm
 * forwards the signal that the terminal already sent to the whole process group.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort())
  return controller.signal
}

/**
 * Runs a command in a new process group and kills what is left of the group when the command ends. Resolves with
 * code 1 on a timeout or if `signal` aborts.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: Options,
): Promise<CommandResult> {
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
    // `exit` and not `close`: a grandchild may keep a stream open.
    child.once('exit', code => setImmediate(resolve, code ?? 1))
    child.once('error', error => {
      output += error.message
      resolve(127)
    })
  })
  const stop = () => killGroup(child.pid)
  function stopAfterTimeout(): void {
    const reason = `${command}: timed out after ${options.timeoutMs / 1000} s`
    output += `\n${reason}`
    if (options.output === 'show') console.error(reason)
    stop()
  }
  const timer = setTimeout(stopAfterTimeout, options.timeoutMs)
  options.signal.addEventListener('abort', stop)
  if (options.signal.aborted) stop()
  const code = await ended
  clearTimeout(timer)
  options.signal.removeEventListener('abort', stop)
  stop()
  return { code, output, seconds: (performance.now() - start) / 1000 }
}

/** Kills the process group of `pid`. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: the group has no process.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
