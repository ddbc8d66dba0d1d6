/** Finds in a line what is searched: a text, ignoring case, or a regular expression in RE2's syntax, which takes linear time. */
import { compileRegex } from '../../../ci/text/regex.ts'
import { foldCase } from '../../../db/fold-case.ts'
import { invalid } from '../../../failure.ts'
import { mayMatch, type Need } from './narrowing.ts'

export interface LineMatcher {
  isIn: (line: string) => boolean
  /** Offsets in the line at which matches begin and end, in order and without overlap. */
  placesIn: (line: string) => Array<[start: number, end: number]>
}

/** An empty text is in no line. */
export function textMatcher(text: string): LineMatcher {
  const wanted = foldCase(text)
  return {
    isIn: (line) => wanted !== '' && foldCase(line).includes(wanted),
    placesIn(line) {
      const folded = foldCase(line)
      const places: Array<[number, number]> = []
      // Some letters change their length with their case. Then offsets in the folded line don't fit the original.
      if (wanted === '' || folded.length !== line.length) return places
      for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) places.push([at, at + wanted.length])
      return places
    },
  }
}

/** Only the beginning of a longer line is searched: such lines are generated. */
const maxLine_chars = 10_000
/**
 * Limit for all lines together: to find one place may take the whole rest of its line for each instruction, so that all places of a line
 * take its length squared. What is found beyond isn't marked.
 */
const maxSteps = 10_000_000
/** The limit for one line, during which nothing else runs: a tenth of a second in the worst case. */
const maxStepsOfLine = 2_000_000
/** Each may be looked at for each character. */
const maxInstructions = 500

/**
 * Ignores case unless the expression says `(?-i)`. An empty one matches no line. Throws 400 if it is invalid in RE2, or too large.
 * @param need a condition that every match fulfils, so that the expression needn't run on other lines
 */
export function expressionMatcher(source: string, need: Need = null): LineMatcher {
  if (source === '') return textMatcher('')
  const compiled = compileRegex(`(?i)${source}`)
  if (!compiled) throw invalid("The regular expression is invalid or too large. Its syntax is RE2's")
  if (compiled.programSize() > maxInstructions) throw invalid('The regular expression is too large')
  let left = maxSteps
  const max_chars = Math.min(maxLine_chars, Math.floor(maxStepsOfLine / compiled.programSize()))
  const may = mayMatch(need)
  return {
    isIn(line) {
      const text = withoutEnd(line, max_chars)
      return may(text) && compiled.test(text)
    },
    placesIn(line) {
      const places: Array<[number, number]> = []
      const text = withoutEnd(line, max_chars)
      const matcher = compiled.matcher(text)
      for (let at = 0; at <= text.length; at = matcher.end()) {
        left -= (text.length - at) * compiled.programSize()
        if (left < 0 || !matcher.find()) break
        if (matcher.end() > matcher.start()) places.push([matcher.start(), matcher.end()])
      }
      return places
    },
  }
}

/** `$` is before the carriage return of a file from Windows. */
function withoutEnd(line: string, max_chars: number): string {
  return line.slice(0, max_chars).replace(/\r$/, '')
}
