type Task = () => Promise<unknown> | undefined

interface Options {
  /** Of the tasks that wait. */
  maxTasks: number
  onOverflow: () => void
  /** The tasks after the one that failed do not run. */
  onError: (error: unknown) => void
}

/** Runs tasks one after the other. A task that is alone and synchronous has run when `push` returns. */
export class TaskQueue {
  readonly #options: Options
  #tasks: Task[] = []
  #isRunning = false
  #isPaused = false
  #onIdle: PromiseWithResolvers<void> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  push(task: Task): void {
    this.#tasks.push(task)
    if (this.#tasks.length > this.#options.maxTasks) {
      this.clear()
      this.#options.onOverflow()
    } else if (!this.#isRunning && !this.#isPaused) void this.#run()
  }

  pause(): void {
    this.#isPaused = true
  }

  /** Runs `first` and then the tasks that wait. */
  start(first?: Task): void {
    this.#isPaused = false
    if (first !== undefined) this.#tasks.unshift(first)
    void this.#run()
  }

  clear(): void {
    this.#tasks = []
  }

  get isIdle(): boolean {
    return !this.#isRunning && this.#tasks.length === 0
  }

  /** Undefined if it is idle. */
  idle(): Promise<void> | undefined {
    if (this.isIdle) return undefined
    this.#onIdle ??= Promise.withResolvers()
    return this.#onIdle.promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
        const running = task()
        if (running !== undefined) await running
      }
    } catch (error) {
      this.clear()
      this.#options.onError(error)
    } finally {
      this.#isRunning = false
      this.#onIdle?.resolve()
      this.#onIdle = undefined
    }
  }
}
