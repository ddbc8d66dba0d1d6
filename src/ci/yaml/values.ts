/** The values of a YAML file, after aliases and merge keys, before `!reference` and `extends`. */

export type Yaml = null | boolean | number | string | Reference | Yaml[] | YamlMap

/**
 * A Map, so that keys keep their order and `__proto__` is an ordinary key. Shared where the file has aliases, so it must never be changed.
 */
export type YamlMap = Map<string, Yaml>

/** `!reference [job, script, 0]`. */
export interface Reference {
  reference: string[]
}

export const isMap = (value: Yaml | undefined): value is YamlMap => value instanceof Map

export const isReference = (value: Yaml | undefined): value is Reference =>
  typeof value === 'object' && value !== null && 'reference' in value

export const isText = (value: Yaml | undefined): value is string => typeof value === 'string'

/** The string that Ruby, and so the reference, converts a scalar to; null is the empty string. */
export function textOf(value: null | boolean | number | string): string {
  return value === null ? '' : String(value)
}

const charsOfValue = 64

/** The weight of a scalar: a long text counts as several, since aliases and `extends` repeat it. */
export const weightOf = (value: Yaml): number => (isText(value) ? 1 + Math.floor(value.length / charsOfValue) : 1)

/** The number of values, each counted wherever it is shared. */
export function sizeOf(value: Yaml, known = new Map<Yaml, number>()): number {
  if (!isMap(value) && !Array.isArray(value)) return weightOf(value)
  const counted = known.get(value)
  if (counted !== undefined) return counted
  let size = 1
  for (const entry of value.values()) size += sizeOf(entry, known)
  known.set(value, size)
  return size
}

/** Converts to plain objects, for printing. */
export function toPlain(value: Yaml): unknown {
  if (isMap(value)) return Object.fromEntries([...value].map(([key, entry]) => [key, toPlain(entry)]))
  if (Array.isArray(value)) return value.map(toPlain)
  return isReference(value) ? value.reference : value
}
