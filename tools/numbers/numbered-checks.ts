/** A list of numbered edge cases, each of which a test bears in its name. */
export interface NumberedChecks {
  name: string
  /** The numbers go from 1 to this one. */
  last: number
  /** Globs of the test files that mean this list by a number. */
  files: readonly string[]
  /** Numbers that have no test, each with the reason. */
  exempt?: Readonly<Record<number, string>>
}

const bots: NumberedChecks = {
  name: 'bots and webhooks',
  last: 84,
  files: [
    'packages/{protocol,sdk,web}/**/*.test.ts',
    'packages/server/src/{kit,http,outgoing,applications,interactions,webhooks,gateway}/**/*.test.ts',
    'examples/dice-bot/**/*.test.ts',
  ],
}

const signIn: NumberedChecks = {
  name: 'sign-in',
  last: 140,
  files: [
    'packages/server/src/{oauth,platform}/**/*.test.ts',
    'packages/server/src/http/authenticate.test.ts',
    'examples/sign-in-site/**/*.test.ts',
  ],
  exempt: { 18: 'there is one grant and one response type, and every client may use them' },
}

export const numberedChecks: readonly NumberedChecks[] = [bots, signIn]
