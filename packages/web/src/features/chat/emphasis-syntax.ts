import type { Options } from 'mdast-util-from-markdown'

type Extension = NonNullable<Options['extensions']>[number]
export type Construct = Extract<NonNullable<NonNullable<Extension['text']>[number]>, { tokenize: unknown }>
export type Tokenizer = Construct['tokenize']
type Context = ThisParameterType<Tokenizer>
type Event = Parameters<NonNullable<Construct['resolveAll']>>[0][number]
type Token = Event[1]
type Point = Token['start']

/** A longer run is text. It would be emphasis inside emphasis, and so on. */
const maxRunLength = 10

/**
 * `*`, `_`, and `~~` for strikethrough. As on Discord, two marks may be beside any character but white space. Around
 * one, the rules of CommonMark (section 6.2) apply, and punctuation may be beside a mark in Chinese, Japanese and
 * Korean, which have no spaces.
 */
export const emphasis: Construct = {
  tokenize(effects, ok) {
    const rest = restOfLine(this)
    const { length } = /^(?:\*+|_+|~+)/.exec(rest)?.[0] ?? ''
    const [before, after] = [kindOf(toCharacter(this.previous)), kindOf(rest.charAt(length))]
    const isFace = length === 1 && isFacePart(toCharacter(this.previous)) && isFacePart(rest.charAt(1))
    const isMark = length <= maxRunLength && !isFace && (length > 1 || !rest.startsWith('~'))
    const isInWord = (kind: Kind) => kind === 'word' && rest.startsWith('_')
    let remaining = length
    const consume: typeof ok = code => {
      if (remaining > 0) {
        remaining -= 1
        effects.consume(code)
        return consume
      }
      const token = effects.exit('attentionSequence')
      token._open = isMark && touches(after, before, length) && !isInWord(before)
      token._close = isMark && touches(before, after, length) && !isInWord(after)
      return ok(code)
    }
    return code => {
      effects.enter('attentionSequence')
      return consume(code)
    }
  },
  resolveAll: pairRuns,
}

type Kind = 'space' | 'punctuation' | 'word' | 'wide'

/** Halves of surrogate pairs, for example of emoji, are `wide`. */
function kindOf(character: string): Kind {
  if (character.trim() === '') return 'space'
  if (
    /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{Cs}\u3000-\u303f\uff00-\uffef]/u.test(
      character,
    )
  )
    return 'wide'
  return /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word'
}

/** Whether a run of marks may be at the start or end of emphasis: `inside` and `outside` are beside it. */
function touches(inside: Kind, outside: Kind, length: number): boolean {
  if (inside === 'space') return false
  return length > 1 || inside !== 'punctuation' || outside !== 'word'
}

/** `^_^` and `-_-` are faces. */
function isFacePart(character: string): boolean {
  return /^[\p{S}.;,'-]$/u.test(character)
}

/** Codes below 0 are tabs and line endings. */
function toCharacter(code: Context['previous']): string {
  return code === null || code < 0 ? '' : String.fromCharCode(code)
}

/** A run of one mark, and what it begins and ends. */
interface Run {
  token: Token
  mark: string
  length: number
  /** The marks that are not used, and where they begin. */
  unused: number
  start: number
  ends: Event[]
  begins: Event[]
}

/**
 * Makes emphasis of pairs of runs (CommonMark 0.31, appendix, "process emphasis"). The time is linear: a search ends
 * where an equal one found nothing.
 */
function pairRuns(events: Event[], context: Context): Event[] {
  const runs = new Map<Token, Run>()
  const openers: { run: Run; order: number }[] = []
  const searched = new Map<string, number>()
  for (const [kind, token] of events) {
    if (kind !== 'enter' || token.type !== 'attentionSequence') continue
    const typed = context.sliceSerialize(token)
    const mark = typed.charAt(0)
    const run = { token, mark, length: typed.length, unused: typed.length, start: 0, ends: [], begins: [] }
    runs.set(token, run)
    const key = `${mark}${token._open}${run.length % 3}`
    while (token._close && isUsable(run)) {
      const from = searched.get(key) ?? 0
      const index = openers.findLastIndex(({ run: opener, order }) => order < from || mayPair(opener, run))
      const opener = openers[index]
      if (opener === undefined || opener.order < from) {
        searched.set(key, runs.size)
        break
      }
      openers.length = isUsable(pair(opener.run, run, context)) ? index + 1 : index
    }
    if (token._open && isUsable(run)) openers.push({ run, order: runs.size })
  }
  const resolved = events.flatMap(event => {
    const run = runs.get(event[1])
    if (run === undefined) return [event]
    return event[0] === 'enter' ? [...run.ends, ...unusedMarks(run, context), ...run.begins] : []
  })
  // The parser has other references to the same array.
  events.length = 0
  for (const event of resolved) events.push(event)
  return events
}

function isUsable({ mark, unused }: Run): boolean {
  return unused >= (mark === '~' ? 2 : 1)
}

function mayPair(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark) return false
  const isEither = opener.token._close === true || closer.token._open === true
  const { length } = closer
  return !isEither || (opener.length + length) % 3 !== 0 || length % 3 === 0
}

/** Returns `opener`. */
function pair(opener: Run, closer: Run, context: Context): Run {
  const count = opener.unused > 1 && closer.unused > 1 ? 2 : 1
  const token: Token = {
    type: count === 2 ? 'strong' : 'emphasis',
    start: move(opener.token.start, opener.start + opener.unused - count),
    end: move(closer.token.start, closer.start + count),
  }
  opener.unused -= count
  opener.begins.unshift(['enter', token, context])
  closer.unused -= count
  closer.start += count
  closer.ends.push(['exit', token, context])
  return opener
}

function unusedMarks({ token, start, unused }: Run, context: Context): Event[] {
  if (unused === 0) return []
  const data: Token = {
    type: 'data',
    start: move(token.start, start),
    end: move(token.start, start + unused),
  }
  return [
    ['enter', data, context],
    ['exit', data, context],
  ]
}

function move({ line, column, offset, _index, _bufferIndex }: Point, count: number): Point {
  return {
    line,
    column: column + count,
    offset: offset + count,
    _index,
    _bufferIndex: _bufferIndex + count,
  }
}

/** A tokenizer cannot look ahead, so the rest of the line is read here, up to a tab. */
export function restOfLine(context: Context): string {
  const start = context.now()
  return context.sliceSerialize({ start, end: { ...start, _bufferIndex: Infinity } })
}
