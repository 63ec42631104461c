import { writeFileSync } from 'node:fs'
import { examplesFile, recordExamples } from './examples/record.ts'

/** Records the examples of the API document again, after a change of what the service accepts or answers. */
const cleanups: (() => Promise<void>)[] = []
try {
  const examples = await recordExamples({ after: run => cleanups.push(run as () => Promise<void>) })
  writeFileSync(examplesFile, `${JSON.stringify(examples, undefined, 2)}\n`)
} finally {
  for (const cleanUp of cleanups) await cleanUp()
}
