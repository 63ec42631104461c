import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createBotApplication } from '@gatehouse/testkit/applications'
import { register, type TestUser } from '@gatehouse/testkit/community'
import { type Tokens, tokensFor } from '@gatehouse/testkit/oauth'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import fc, { type Arbitrary, type AsyncCommand } from 'fast-check'

/** Steps in a random order. Each knows from the state what the service must respond, and changes the state as the service does. */
export interface Sequence<State extends object> {
  name: string
  start(service: TestService): Promise<State>
  steps: Arbitrary<Step<State>>[]
}

type Step<State extends object> = AsyncCommand<State, undefined>

/**
 * A step that `run` performs with a random input. It is left out if `when` says that the state has nothing for it.
 * A step of weight 2 is chosen twice as often as one of weight 1.
 */
type CreateStep<State extends object> = <Input>(
  weight: number,
  name: string,
  when: (state: State) => boolean,
  input: Arbitrary<Input>,
  run: (state: State, input: Input) => Promise<void>,
) => Arbitrary<Step<State>>[]

export function sequence<State extends object>(
  name: string,
  start: (service: TestService) => Promise<State>,
  list: (step: CreateStep<State>) => Arbitrary<Step<State>>[][],
): Sequence<State> {
  const steps = list((weight, name, when, input, run) => {
    const arbitrary = input.map(value => ({
      check: (state: Readonly<State>) => when(state),
      run: (state: State) => run(state, value),
      toString: () => `${name} ${JSON.stringify(value)}`,
    }))
    return Array(weight).fill(arbitrary)
  })
  return { name, start, steps: steps.flat() }
}

export const always = () => true

/** Runs the sequence `runs` times from the start. fast-check reports the shortest steps that fail, with the seed. */
export async function runSequence<State extends object>(
  service: TestService,
  { start, steps }: Sequence<State>,
  options: { seed: number; runs: number; length: number },
): Promise<void> {
  const commands = fc.commands(steps, { maxCommands: options.length, size: 'max' })
  const property = fc.asyncProperty(commands, sequence =>
    fc.asyncModelRun(async () => ({ model: await start(service), real: undefined }), sequence),
  )
  await fc.assert(property, { seed: options.seed, numRuns: options.runs, endOnFailure: false })
}

/** The index of one of the newest records of a list, mostly the last. */
export const newest = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 4 }))

/** The record that `newest` selects. */
export function pick<T>(list: readonly T[], index: number): T {
  const record = list.at(-1 - (index % list.length))
  assert.ok(record !== undefined)
  return record
}

export const shortText = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 1, maxLength: 12 })

/** The status, and the code of an error: `404 not_found`. */
export function outcomeOf({ status, body, text }: TestResponse): string {
  return status < 400 ? String(status) : `${status} ${body?.code ?? body?.error ?? text}`
}

export function expectOutcome(reply: TestResponse, expected: string): boolean {
  assert.equal(outcomeOf(reply), expected, `${outcomeOf(reply)} instead of ${expected}: ${reply.text}`)
  return reply.status < 400
}

export interface Caller {
  kind: 'user' | 'bot' | 'bearer' | 'nobody'
  /** The user id of a user or bot, or ''. */
  id: string
  send(method: string, path: string, body?: unknown): Promise<TestResponse>
}

/** `401` and `403` for callers whose credentials the operation does not accept. */
export function refusal(caller: Caller, accepted: readonly Caller['kind'][] = ['user']): string | undefined {
  if (accepted.includes(caller.kind)) return undefined
  return caller.kind === 'nobody' ? '401 unauthenticated' : '403 credential_not_accepted'
}

export function newUser(service: TestService): Promise<TestUser> {
  return register(service, `u${randomBytes(8).toString('hex')}`)
}

export function userCaller({ id, client }: TestUser): Caller {
  return { kind: 'user', id, send: (method, path, body) => client.json(method, path, body) }
}

function botCaller(service: TestService, bot: { botId: string; token: string }): Caller {
  return withAuthorization(service, 'bot', bot.botId, `Bot ${bot.token}`)
}

function withAuthorization(service: TestService, kind: Caller['kind'], id: string, value?: string): Caller {
  const client = service.client()
  const headers = value === undefined ? {} : { authorization: value }
  return { kind, id, send: (method, path, body) => client.json(method, path, body, headers) }
}

export function nobody(service: TestService): Caller {
  return withAuthorization(service, 'nobody', '')
}

/** A bot on no server, an application with a token of the user, and nobody. */
export async function strangers(service: TestService, user: TestUser): Promise<Caller[]> {
  const redirectUri = 'https://app.example/callback'
  const bot = await createBotApplication(user.client, { redirectUris: [redirectUri] })
  const application = { id: bot.applicationId, secret: bot.clientSecret, redirectUri }
  const tokens: Tokens = await tokensFor(service, user, application)
  return [
    botCaller(service, bot),
    withAuthorization(service, 'bearer', '', `Bearer ${tokens.access_token}`),
    nobody(service),
  ]
}
