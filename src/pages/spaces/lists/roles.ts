/** Access levels in words. */
import { accessLevels } from '../../../access/levels.ts'

const names = new Map(Object.entries(accessLevels).map(([name, level]) => [level as number, name.charAt(0).toUpperCase() + name.slice(1)]))

/** `Developer` for 30. */
export function roleOf(level: number): string {
  return names.get(level) ?? String(level)
}
