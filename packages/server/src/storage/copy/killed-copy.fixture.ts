import { systemClock } from '../../kit/clock.ts'
import { copyDatabase } from './copy.ts'

/** A process that ends itself with SIGKILL in the middle of a copy: `node killed-copy.fixture.ts FROM TO ROWS`. */
const [from = '', to = '', rows = ''] = process.argv.slice(2)
await copyDatabase({
  from,
  to,
  clock: systemClock,
  onProgress(progress) {
    if (progress.rows >= Number(rows)) process.kill(process.pid, 'SIGKILL')
  },
})
