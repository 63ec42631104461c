/** What a process holds when all that nobody refers to has been thrown away. In bytes. */
export interface Held {
  heap: number
  /** Buffers, beside the heap. */
  buffers: number
}

/** Asks the inspector of a process that was started with `--inspect=127.0.0.1:PORT`. */
export async function measureHeld(port: number): Promise<Held> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
  // A parse edge: the Chrome DevTools Protocol.
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  })
  let number = 0
  function ask<T>(method: string): Promise<T> {
    const id = ++number
    return new Promise(resolve => {
      socket.addEventListener('message', function hear({ data }) {
        const { id: of, result } = JSON.parse(String(data))
        if (of !== id) return
        socket.removeEventListener('message', hear)
        resolve(result)
      })
      socket.send(JSON.stringify({ id, method }))
    })
  }
  try {
    // Twice: what the first finds to be finalised goes with the second.
    await ask('HeapProfiler.collectGarbage')
    await ask('HeapProfiler.collectGarbage')
    const usage = await ask<{ usedSize: number; backingStorageSize?: number }>('Runtime.getHeapUsage')
    return { heap: usage.usedSize, buffers: usage.backingStorageSize ?? 0 }
  } finally {
    socket.close()
  }
}
