/** Line codes: how clients and pages name a line of a diff. */
import { createHash } from 'node:crypto'
import type { LineMap } from '../../../git/diff/line-map.ts'
import type { TextPosition } from './positions.ts'

/** The SHA-1 of the path, and the counters of both sides at the line in a patch: `<40 hex>_<old>_<new>`. */
export function lineCode(path: string, oldLine: number, newLine: number): string {
  return `${createHash('sha1').update(path).digest('hex')}_${oldLine}_${newLine}`
}

export function lineCodeOf(
  { old_path, new_path, ...line }: Pick<TextPosition, 'old_path' | 'new_path' | 'old_line' | 'new_line'>,
  map: LineMap,
) {
  return lineCode(new_path || old_path, ...map.counters(line))
}

export const lineCodePattern = '^[0-9a-f]{40}_\\d{1,10}_\\d{1,10}$'
