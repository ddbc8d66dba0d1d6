/** `script`, `before_script`, `after_script`. */
import { isText, type Yaml } from '../yaml/values.ts'
import { flattened, type Location, refuse } from './location.ts'

/** A command or nested lists of commands, as `!reference` produces them. */
export function readScript(value: Yaml, where: Location): string[] {
  if (isText(value)) return [value]
  const lines = flattened(value)
  if (lines?.every(isText)) return lines
  refuse(where, 'config should be a string or a nested array of strings up to 10 levels deep')
  return []
}
