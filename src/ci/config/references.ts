/** `!reference [job, key]`: inserts a value from elsewhere in the file. */
import { maxValues, tooBig } from '../yaml/read-yaml.ts'
import { isMap, isReference, type Reference, sizeOf, type Yaml, type YamlMap } from '../yaml/values.ts'

const maxLevels = 10
const maxReplaced = 50_000

/** Throws a `ConfigError` for references that don't exist, form a cycle or are nested too deeply. */
export function resolveReferences(root: YamlMap): YamlMap {
  const state = { root, left: maxReplaced, resolved: new Map<Yaml, Yaml>() }
  const resolved = resolveMap(root, state, []) as YamlMap
  if (sizeOf(resolved) > maxValues) throw new ConfigError(tooBig)
  return resolved
}

/** An error of the file as a whole; its message is for the author. */
export class ConfigError extends Error {}

interface State {
  root: YamlMap
  left: number
  /** Values are shared where there are aliases, so each is resolved once. */
  resolved: Map<Yaml, Yaml>
}

function resolve(value: Yaml, state: State, trail: string[]): Yaml {
  if (isReference(value)) return lookUp(value, state, trail)
  if (!isMap(value) && !Array.isArray(value)) return value
  const known = state.resolved.get(value)
  if (known !== undefined) return known
  const resolved = isMap(value) ? resolveMap(value, state, trail) : resolveList(value, state, trail)
  state.resolved.set(value, resolved)
  return resolved
}

function resolveMap(map: YamlMap, state: State, trail: string[]): Yaml {
  let changed = false
  const entries = [...map].map(([key, value]): [string, Yaml] => {
    const resolved = resolve(value, state, trail)
    changed ||= resolved !== value
    return [key, resolved]
  })
  return changed ? new Map(entries) : map
}

function resolveList(list: Yaml[], state: State, trail: string[]): Yaml {
  const resolved = list.map((value) => resolve(value, state, trail))
  return resolved.some((value, at) => value !== list[at]) ? resolved : list
}

function lookUp({ reference }: Reference, state: State, trail: string[]): Yaml {
  const shown = `!reference ${JSON.stringify(reference)}`
  if (trail.includes(shown)) throw new ConfigError(`${shown} is part of a circular chain`)
  if (trail.length >= maxLevels) throw new ConfigError(`${shown} is nested too deep`)
  if (state.left-- === 0) throw new ConfigError('The file has too many !reference tags')
  let value: Yaml | undefined = state.root
  for (const key of reference) {
    if (isReference(value)) value = lookUp(value, state, [...trail, shown])
    value = isMap(value) ? value.get(key) : Array.isArray(value) && /^\d+$/.test(key) ? value[Number(key)] : undefined
    if (value === undefined) throw new ConfigError(`${shown} could not be found`)
  }
  return resolve(value, state, [...trail, shown])
}
