/** How long test files take, as recorded by `npm run test:all -- --record` in `test/timings.txt`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

/**
 * Seconds by `project file`; files that take less than a second are not in the list.
 * @returns {Map<string, number>}
 */
export function readTimings() {
  const lines = readFileSync(join(root, 'test', 'timings.txt'), 'utf8').split('\n')
  return new Map(
    lines.filter(Boolean).map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}
