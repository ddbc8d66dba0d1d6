/** Filters names by a pattern of a user: with RE2, which takes linear time for any pattern, and in slices of the event loop. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RE2JS } from 're2js'
import { compileRegex } from '../../../ci/text/regex.ts'
import { badParameter, Failure } from '../../../failure.ts'

const maxPattern_chars = 200
/** Instructions of the pattern times characters of all names; a few seconds in the worst case. */
const maxCompared = 200_000_000
const slice_ms = 5

/** Throws 400 if RE2 rejects the pattern; the filter throws 422 if matching takes too long. */
export function regexFilter(pattern: string): (names: string[]) => Promise<boolean[]> {
  const compiled = compile(pattern)
  return async (names) => {
    const matched: boolean[] = []
    let left = maxCompared
    let started = performance.now()
    for (const name of names) {
      left -= compiled.programSize() * (name.length + 1)
      if (left < 0) throw new Failure('unprocessable', '422 Matching the pattern takes too long')
      matched.push(compiled.matcher(name).find())
      if (performance.now() - started < slice_ms) continue
      await turn()
      started = performance.now()
    }
    return matched
  }
}

function compile(pattern: string): RE2JS {
  if (pattern.length > maxPattern_chars) throw badParameter('regex is too long')
  const compiled = compileRegex(pattern)
  if (!compiled) throw badParameter('regex is invalid')
  return compiled
}
