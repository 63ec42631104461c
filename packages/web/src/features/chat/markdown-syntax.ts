import type { Options, Extension as TreeExtension } from 'mdast-util-from-markdown'
import { emphasis, restOfLine } from './emphasis-syntax.ts'
import { urlLength } from './tokens.ts'

type Extension = NonNullable<Options['extensions']>[number]
type Construct = Extract<NonNullable<NonNullable<Extension['text']>[number]>, { tokenize: unknown }>
type Tokenizer = Construct['tokenize']

declare module 'mdast' {
  /** A `<` after a backslash, which begins no mention and no link. */
  interface EscapedBracket extends Literal {
    type: 'escapedBracket'
  }
  interface PhrasingContentMap {
    escapedBracket: EscapedBracket
  }
  interface RootContentMap {
    escapedBracket: EscapedBracket
  }
}

const shrug = '¯\\_(ツ)_/¯'

const literal: Construct = {
  tokenize(effects, ok, nok) {
    const rest = restOfLine(this)
    const length = rest.startsWith(shrug) ? shrug.length : urlLength(rest)
    return length === 0 ? nok : consumeText(effects, ok, length)
  },
}

/**
 * `#`, `##` or `###`, or `-#` for a subtext, a space and a text. Unlike in CommonMark, neither further `#` nor `#` at
 * the end mean anything.
 */
const heading: Construct = {
  tokenize(effects, ok, nok) {
    let typed = ''
    const sequence: typeof ok = code => {
      const next = typed + String.fromCharCode(code ?? 0)
      if (['#', '##', '###', '-', '-#'].includes(next)) {
        typed = next
        effects.consume(code)
        return sequence
      }
      if (typed === '-' || !isSpace(code)) return nok(code)
      effects.exit('atxHeadingSequence')
      effects.enter('whitespace')
      return space(code)
    }
    const space: typeof ok = code => {
      if (isSpace(code)) {
        effects.consume(code)
        return space
      }
      if (isLineEnd(code)) return nok(code)
      effects.exit('whitespace')
      effects.enter('atxHeadingText')
      effects.enter('chunkText', { contentType: 'text' })
      return text(code)
    }
    const text: typeof ok = code => {
      if (!isLineEnd(code)) {
        effects.consume(code)
        return text
      }
      effects.exit('chunkText')
      effects.exit('atxHeadingText')
      effects.exit('atxHeading')
      return ok(code)
    }
    return code => {
      effects.enter('atxHeading')
      effects.enter('atxHeadingSequence')
      return sequence(code)
    }
  },
}

/** The parser has negative codes for tabs and line endings, and null for the end. */
type Code = Parameters<ReturnType<Tokenizer>>[0]
const isSpace = (code: Code) => code === -2 || code === -1 || code === 32
const isLineEnd = (code: Code) => code === null || code < -2

function consumeText(
  effects: Parameters<Tokenizer>[0],
  ok: Parameters<Tokenizer>[1],
  length: number,
): ReturnType<Tokenizer> {
  let remaining = length
  const consume: typeof ok = code => {
    if (remaining === 0) {
      effects.exit('data')
      return ok(code)
    }
    remaining -= 1
    effects.consume(code)
    return consume
  }
  return code => {
    effects.enter('data')
    return consume(code)
  }
}

/** Other characters after a backslash are part of the text around them: they may be part of a URL. */
export const escapedBrackets: TreeExtension = {
  enter: { characterEscape() {} },
  exit: {
    characterEscapeValue(token) {
      const value = this.sliceSerialize(token)
      if (value === '<') {
        this.enter({ type: 'escapedBracket', value }, token)
        this.exit(token)
      } else {
        this.config.enter.data?.call(this, token)
        this.config.exit.data?.call(this, token)
      }
    },
  },
}

/**
 * The Markdown of messages. There is no HTML and no entity, image, link definition, indented code, setext heading,
 * thematic break or backslash at the end of a line: these are text. So are URLs, in which `_` and `*` mean nothing, and
 * the arms of `¯\_(ツ)_/¯`.
 */
export const chatSyntax: Extension = {
  disable: {
    null: [
      'characterReference',
      'codeIndented',
      'definition',
      'hardBreakEscape',
      'headingAtx',
      'htmlFlow',
      'htmlText',
      'labelStartImage',
      'setextUnderline',
      'thematicBreak',
    ],
  },
  flow: { ['#'.charCodeAt(0)]: heading, ['-'.charCodeAt(0)]: heading },
  insideSpan: { null: [emphasis] },
  text: {
    // Every URL begins with this character.
    ['h'.charCodeAt(0)]: literal,
    ['¯'.charCodeAt(0)]: literal,
    ['*'.charCodeAt(0)]: emphasis,
    ['_'.charCodeAt(0)]: emphasis,
    ['~'.charCodeAt(0)]: emphasis,
  },
}
