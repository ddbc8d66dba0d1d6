/** Names that match a pattern of a user: by RE2, which takes linear time for any pattern, and in slices of the event loop. */
import { setImmediate as turn } from 'node:timers/promises'
import { RE2JS } from 're2js'
import { badParameter, Failure } from '../../../failure.ts'

/** A pattern is compiled into a program about as long; counted repetitions make it longer, so they are bounded by the engine. */
const maxPattern_chars = 200
const slice_ms = 5
const max_ms = 2_000

/** Throws 400 for a pattern that RE2 doesn't take; the filter 422 where matching takes too long. */
export function regexFilter(pattern: string): (names: string[]) => Promise<boolean[]> {
  const compiled = compile(pattern)
  return async (names) => {
    const matched: boolean[] = []
    let spent_ms = 0
    let started = performance.now()
    for (const name of names) {
      matched.push(compiled.matcher(name).find())
      const slice = performance.now() - started
      if (slice < slice_ms) continue
      spent_ms += slice
      if (spent_ms > max_ms) throw new Failure('unprocessable', '422 Matching the pattern takes too long')
      await turn()
      started = performance.now()
    }
    return matched
  }
}

function compile(pattern: string): RE2JS {
  if (pattern.length > maxPattern_chars) throw badParameter('regex is too long')
  try {
    return RE2JS.compile(pattern)
  } catch {
    throw badParameter('regex is invalid')
  }
}
