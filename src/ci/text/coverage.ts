/** Extracts the coverage from the output of a job with its author's regular expression, in linear time. */
import { compileRegex } from './regex.ts'

const number = /\d+(?:\.\d+)?/

/**
 * In percent, from the last line that matches; null if none does, or the pattern is invalid. The first number in the first group of the
 * match counts, or in the whole match if there are no groups.
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
