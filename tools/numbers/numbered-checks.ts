/** A list of numbered edge cases or decisions, each of which a test bears in its name. */
export interface NumberedChecks {
  name: string
  /** How a test names one: `check 46`, `D31`. */
  mark: 'check' | 'D'
  /** The numbers go from this one, 1 if not said, */
  first?: number
  /** to this one. */
  last: number
  /** Globs of the test files that mean this list by a number. */
  files: readonly string[]
  /** Numbers that have no test, each with the reason. */
  exempt?: Readonly<Record<number, string>>
}

const bots: NumberedChecks = {
  name: 'bots and webhooks',
  mark: 'check',
  last: 84,
  files: [
    'packages/{protocol,sdk,web}/**/*.test.ts',
    'packages/server/src/{kit,http,outgoing,applications,interactions,webhooks,gateway}/**/*.test.ts',
    'packages/server/src/decisions.test.ts',
    'examples/dice-bot/**/*.test.ts',
  ],
}

const signIn: NumberedChecks = {
  name: 'sign-in',
  mark: 'check',
  last: 140,
  files: [
    'packages/server/src/{oauth,platform}/**/*.test.ts',
    'packages/server/src/http/authenticate.test.ts',
    'examples/sign-in-site/**/*.test.ts',
  ],
  exempt: { 18: 'there is one grant and one response type, and every client may use them' },
}

/** A decision means the same wherever it is named. */
const everywhere = ['{packages,examples}/**/*.test.{ts,tsx}']

const decisions: readonly NumberedChecks[] = [
  { name: 'decisions on bots', mark: 'D', first: 25, last: 32, files: everywhere },
  { name: 'decisions on webhooks', mark: 'D', first: 33, last: 50, files: everywhere },
  { name: 'decisions on bots and the community', mark: 'D', first: 51, last: 68, files: everywhere },
]

export const numberedChecks: readonly NumberedChecks[] = [bots, signIn, ...decisions]
