/** The values of a YAML file, after aliases and merge keys, before `!reference` and `extends`. */

export type Yaml = null | boolean | number | string | Reference | Yaml[] | YamlMap

/** A Map, so that keys keep their order and `__proto__` is a key like others. Shared where the file has aliases: never changed in place. */
export type YamlMap = Map<string, Yaml>

/** `!reference [job, script, 0]`. */
export interface Reference {
  reference: string[]
}

export const isMap = (value: Yaml | undefined): value is YamlMap => value instanceof Map

export const isReference = (value: Yaml | undefined): value is Reference =>
  typeof value === 'object' && value !== null && 'reference' in value

export const isText = (value: Yaml | undefined): value is string => typeof value === 'string'

/** How Ruby, and so the reference, writes a scalar as a string; null is the empty string. */
export function textOf(value: null | boolean | number | string): string {
  return value === null ? '' : String(value)
}

const charsOfValue = 64

/** What a scalar counts for: a long text as much as several, for aliases and `extends` repeat it. */
export const weightOf = (value: Yaml): number => (isText(value) ? 1 + Math.floor(value.length / charsOfValue) : 1)

/** How many values there are, each counted wherever it is shared. */
export function sizeOf(value: Yaml, known = new Map<Yaml, number>()): number {
  if (!isMap(value) && !Array.isArray(value)) return weightOf(value)
  const counted = known.get(value)
  if (counted !== undefined) return counted
  let size = 1
  for (const entry of value.values()) size += sizeOf(entry, known)
  known.set(value, size)
  return size
}

/** Plain objects, for printing. */
export function toPlain(value: Yaml): unknown {
  if (isMap(value)) return Object.fromEntries([...value].map(([key, entry]) => [key, toPlain(entry)]))
  if (Array.isArray(value)) return value.map(toPlain)
  return isReference(value) ? value.reference : value
}
