/** How much of the code a job covered, read from what it printed by a regular expression of its author: in linear time. */
import { compileRegex } from './regex.ts'

const number = /\d+(?:\.\d+)?/

/**
 * In percent, of the last line that matches; null where none does, or the pattern is none. Of a match with groups the first group counts,
 * otherwise all of it; of that the first number.
 */
export function coverageIn(text: string, pattern: string): number | null {
  const expression = compileRegex((/^\/(.+)\/$/s.exec(pattern)?.[1] ?? pattern).replaceAll('\\/', '/'))
  if (!expression) return null
  const lines = text.split('\n')
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const matcher = expression.matcher(lines[index] ?? '')
    let found: string | null = null
    while (matcher.find()) found = (matcher.groupCount() > 0 ? matcher.group(1) : matcher.group(0)) ?? null
    const value = Number(number.exec(found ?? '')?.[0] ?? Number.NaN)
    if (value >= 0 && value <= 100) return value
  }
  return null
}
