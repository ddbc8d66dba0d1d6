/** `extends`: jobs based on others, merged deeply; the last named one takes precedence. */
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import { ConfigError } from './references.ts'

const maxLevels = 11
/** Limit of merged keys in all jobs: with ten levels of many parents, files of a few lines could otherwise grow without limit. */
const maxMerged = 500_000

/** The file with every job extended. Throws a `ConfigError` that names the job. */
export function resolveExtends(root: YamlMap): YamlMap {
  const state: State = { root, done: new Map(), budget: { left: maxMerged } }
  return new Map([...root].map(([key, value]) => [key, isExtending(value) ? extended(key, value, state, []).value : value]))
}

interface State {
  root: YamlMap
  done: Map<string, Extended>
  budget: { left: number }
}

interface Extended {
  value: YamlMap
  /** Depth of the chain of parents. */
  levels: number
}

const isExtending = (value: Yaml): value is YamlMap => isMap(value) && value.has('extends')

function extended(key: string, value: YamlMap, state: State, ancestors: string[]): Extended {
  const done = state.done.get(key)
  if (done) return done
  if (ancestors.includes(key)) throw new ConfigError(`${key}: circular dependency detected in \`extends\``)
  if (ancestors.length > maxLevels) throw tooDeep(key)
  const names = parentsOf(value.get('extends') ?? null)
  // Anything but names is rejected with the job's other keys.
  if (!names) return { value, levels: 0 }
  const unknown = names.filter((name) => !state.root.has(name))
  if (unknown.length > 0) throw new ConfigError(`${key}: unknown keys in \`extends\` (${unknown.join(', ')})`)
  const parents = names.map((name) => {
    const parent = state.root.get(name) ?? null
    if (!isMap(parent)) throw new ConfigError(`${key}: invalid base hashes in \`extends\` (${name})`)
    return isExtending(parent) ? extended(name, parent, state, [...ancestors, key]) : { value: parent, levels: 0 }
  })
  const levels = 1 + Math.max(0, ...parents.map((parent) => parent.levels))
  if (levels > maxLevels) throw tooDeep(key)
  const layers = [...parents.map((parent) => parent.value), value]
  const merged = { value: layers.reduce((base, over) => deepMerge(base, over, state.budget), new Map() as YamlMap), levels }
  state.done.set(key, merged)
  return merged
}

const tooDeep = (key: string) => new ConfigError(`${key}: nesting too deep in \`extends\``)

function parentsOf(value: Yaml): string[] | null {
  if (isText(value)) return [value]
  return Array.isArray(value) && value.every(isText) ? value : null
}

/** Mappings are merged key by key, everything else is replaced. */
export function deepMerge(base: YamlMap, over: YamlMap, budget = { left: maxMerged }): YamlMap {
  budget.left -= base.size + over.size
  if (budget.left < 0) throw new ConfigError('The parsed YAML is too big')
  const merged: YamlMap = new Map(base)
  for (const [key, value] of over) {
    const below = base.get(key)
    merged.set(key, isMap(below) && isMap(value) ? deepMerge(below, value, budget) : value)
  }
  return merged
}
