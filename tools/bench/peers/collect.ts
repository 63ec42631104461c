// Loaded into each service and peer with `--import`: SIGUSR2 collects the garbage and returns the free memory.
process.on('SIGUSR2', () => void globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
