/** Memory of a process after a garbage collection, in bytes. */
export interface MemoryUsage {
  heap: number
  /** Buffers outside the heap. */
  buffers: number
}

/** Measures through the inspector of a process that was started with `--inspect=127.0.0.1:PORT`. */
export async function measureMemory(port: number): Promise<MemoryUsage> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  // Not validated: the Chrome DevTools Protocol defines the shape.
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  })
  let number = 0
  function send<T>(method: string): Promise<T> {
    const id = ++number
    return new Promise(resolve => {
      socket.addEventListener('message', function onMessage({ data }) {
        const { id: of, result } = JSON.parse(String(data))
        if (of !== id) return
        socket.removeEventListener('message', onMessage)
        resolve(result)
      })
      socket.send(JSON.stringify({ id, method }))
    })
  }
  try {
    // Twice: the second collection frees objects that were finalized after the first.
    await send('HeapProfiler.collectGarbage')
    await send('HeapProfiler.collectGarbage')
    const usage = await send<{ usedSize: number; backingStorageSize?: number }>('Runtime.getHeapUsage')
    return { heap: usage.usedSize, buffers: usage.backingStorageSize ?? 0 }
  } finally {
    socket.close()
  }
}
