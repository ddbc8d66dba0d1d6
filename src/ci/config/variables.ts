/** `variables` of a file, a job or a rule. */
import type { PlannedVariable } from '../plan.ts'
import { isMap, isText, textOf, type Yaml } from '../yaml/values.ts'
import { type Location, refuse } from './location.ts'

const maxVariables = 10_000

export interface ReadVariable extends PlannedVariable {
  description: string | null
  options: string[]
}

const keysOf = { global: ['value', 'description', 'options', 'expand'], job: ['value', 'expand'] }

/** Numbers are converted to strings; values may be mappings with `value`, `expand` and, for global ones, a description. */
export function readVariables(value: Yaml, where: Location, kind: 'global' | 'job' = 'job'): ReadVariable[] {
  if (!isMap(value)) {
    refuse(where, 'config should be a hash of key value pairs')
    return []
  }
  if (value.size > maxVariables) {
    refuse(where, `config has too many variables (maximum is ${maxVariables})`)
    return []
  }
  const variables = [...value].map(([key, entry]) => readVariable(key, entry, keysOf[kind]))
  const wrong = variables.find((variable) => typeof variable === 'string')
  if (wrong !== undefined) refuse(where, wrong)
  return variables.filter((variable) => typeof variable !== 'string')
}

/** The variable, or the error in it. */
function readVariable(key: string, entry: Yaml, allowed: string[]): ReadVariable | string {
  if (isText(entry) || typeof entry === 'number') return { key, value: textOf(entry), raw: false, description: null, options: [] }
  if (!isMap(entry)) return 'config should be a hash of key value pairs'
  const unknown = [...entry.keys()].filter((name) => !allowed.includes(name))
  if (unknown.length > 0) return `config ${key} uses invalid data keys: ${unknown.join(', ')}`
  const given = entry.get('value') ?? ''
  const options = entry.get('options') ?? []
  const description = entry.get('description') ?? null
  const expandable = entry.get('expand') ?? true
  if (!isText(given) && typeof given !== 'number') return `config ${key} value should be a string`
  if (description !== null && !isText(description)) return `config ${key} description should be a string`
  if (typeof expandable !== 'boolean') return `config ${key} expand should be a boolean value`
  if (!Array.isArray(options) || !options.every(isText)) return `config ${key} options should be an array of strings`
  if (options.length > 0 && !options.includes(textOf(given))) return `config ${key} value must be one of its options`
  return { key, value: textOf(given), raw: !expandable, description, options }
}

/** Without descriptions and options, which are for people. */
export function plainVariables(variables: ReadVariable[]): PlannedVariable[] {
  return variables.map(({ key, value, raw }) => ({ key, value, raw }))
}
