/** `spec:inputs`: the inputs of an included file, and `$[[ inputs.name ]]` in its text, which is replaced by their values. */
import type { PlainValue } from '../plan.ts'
import type { Patterns } from '../text/patterns.ts'
import { expand, type Lookup } from '../text/variables.ts'
import { maxText, maxValues, tooBig } from '../yaml/read-yaml.ts'
import { isMap, isText, sizeOf, type Yaml, type YamlMap } from '../yaml/values.ts'
import { ConfigError } from './references.ts'

export interface InputOptions {
  /** Location of the file, named in messages. */
  location: string
  patterns: Patterns
  /** Resolves variables, for `expand_vars`. */
  lookup: Lookup
}

const types = ['string', 'number', 'boolean', 'array'] as const
const specKeys = ['default', 'description', 'options', 'regex', 'type', 'rules']
const maxInputs = 100
const maxFunctions = 3
const block = /\$\[\[\s*(.*?)\s*\]\]/g
const wholeBlock = /^\s*\$\[\[\s*((?:(?!\]\]).)*?)\s*\]\]\s*$/

/**
 * The file with its inputs filled in. If `spec` is null, the file has no inputs and is returned unchanged. Throws a `ConfigError` for
 * inputs that are missing, of a wrong type, or undeclared.
 */
export function withInputs(body: YamlMap, spec: Yaml, given: Readonly<Record<string, PlainValue>>, options: InputOptions): YamlMap {
  const fail = (message: string) => new ConfigError(`\`${options.location}\`: ${message}`)
  if (spec === null) {
    if (Object.keys(given).length === 0) return body
    throw fail('inputs are given, and the file has no `spec:inputs`')
  }
  const declared = readSpec(spec, fail)
  const unknown = Object.keys(given).filter((name) => !declared.has(name))
  if (unknown.length > 0) throw fail(`unknown input arguments: ${unknown.join(', ')}`)
  const values = new Map<string, PlainValue>()
  for (const [name, wanted] of declared) {
    const inputFails = (message: string) => fail(`\`${name}\` input: ${message}`)
    values.set(name, inputValue(wanted, Object.hasOwn(given, name) ? given[name] : undefined, { ...options, fail: inputFails }))
  }
  const state: State = { values, lookup: options.lookup, fail, left: maxText, known: new Map() }
  const made = replaced(body, state) as YamlMap
  if (sizeOf(made) > maxValues) throw new ConfigError(tooBig)
  return made
}

type Fail = (message: string) => ConfigError

function readSpec(spec: Yaml, fail: Fail): Map<string, YamlMap> {
  const inputs = isMap(spec) ? (spec.get('inputs') ?? null) : undefined
  if (inputs === null) return new Map()
  if (!isMap(inputs)) throw fail('spec:inputs config should be a hash')
  if (inputs.size > maxInputs) throw fail(`spec:inputs config has too many inputs (maximum is ${maxInputs})`)
  return new Map([...inputs].map(([name, wanted]) => [name, readInput(name, wanted, fail)]))
}

function readInput(name: string, wanted: Yaml, fail: Fail): YamlMap {
  if (wanted === null) return new Map()
  if (!isMap(wanted)) throw fail(`spec:inputs:${name} config should be a hash`)
  const unknown = [...wanted.keys()].filter((key) => !specKeys.includes(key))
  if (unknown.length > 0) throw fail(`spec:inputs:${name} config contains unknown keys: ${unknown.join(', ')}`)
  if (!types.some((type) => type === (wanted.get('type') ?? 'string'))) throw fail(`spec:inputs:${name} input type unknown value`)
  if (!Array.isArray(wanted.get('options') ?? [])) throw fail(`spec:inputs:${name} options should be an array`)
  return wanted
}

/** The value of an input, validated: the given one, or its default. */
function inputValue(wanted: YamlMap, given: PlainValue | undefined, { fail, patterns }: InputOptions & { fail: Fail }): PlainValue {
  const type = String(wanted.get('type') ?? 'string') as InputType
  const value = given === undefined || given === null ? plainOf(wanted.get('default') ?? null) : asType(type, given)
  if (value === null && !wanted.has('default')) throw fail('required value has not been provided')
  const isOfType = isA(type, value)
  const shown = given === undefined ? 'default value' : 'provided value'
  // Text that looks like a number or boolean is parsed as such before it is known that a string is expected.
  const fitting = !isOfType && type === 'string' && isScalar(value) ? String(value ?? '') : value
  if (!isOfType && fitting === value) throw fail(`${shown} is not ${type === 'array' ? 'an' : 'a'} ${type}`)
  const allowed = (wanted.get('options') as Yaml[] | undefined)?.map((one) => String(one))
  if (allowed && !allowed.includes(String(fitting)))
    throw fail(`\`${fitting}\` cannot be used because it is not in the list of allowed options`)
  const regex = wanted.get('regex')
  if (isText(regex) && !patterns.isFound(`/${regex.replaceAll('/', '\\/')}/`, String(fitting)))
    throw fail(`${shown} does not match required RegEx pattern`)
  return fitting
}

type InputType = (typeof types)[number]

const isA = (type: InputType, value: PlainValue) => (type === 'array' ? Array.isArray(value) : typeof value === type)

/** Forms and push options only have text, which is converted to the expected type. */
function asType(type: InputType, given: PlainValue): PlainValue {
  if (type === 'string' || typeof given !== 'string') return given
  try {
    const read = JSON.parse(given) as PlainValue
    return isA(type, read) ? read : given
  } catch {
    return given
  }
}

const isScalar = (value: PlainValue) => value === null || typeof value !== 'object'

interface State {
  values: Map<string, PlainValue>
  lookup: Lookup
  fail: Fail
  /** Number of characters that may still be inserted. */
  left: number
  /** Values are shared where there are aliases, so each is replaced once. */
  known: Map<Yaml, Yaml>
}

function replaced(value: Yaml, state: State): Yaml {
  if (isText(value)) return value.includes('$[[') ? replacedIn(value, state) : value
  if (!isMap(value) && !Array.isArray(value)) return value
  const known = state.known.get(value)
  if (known !== undefined) return known
  const made = isMap(value)
    ? new Map([...value].map(([key, entry]) => [textFor(replaced(key, state)), replaced(entry, state)]))
    : value.map((entry) => replaced(entry, state))
  state.known.set(value, made)
  return made
}

/** A text that consists of a single block gets the type of the input. */
function replacedIn(text: string, state: State): Yaml {
  const [, alone] = wholeBlock.exec(text) ?? []
  if (alone !== undefined) return yamlOf(evaluate(alone, state))
  return text.replace(block, (_, expression: string) => textFor(yamlOf(evaluate(expression, state))))
}

function evaluate(expression: string, state: State): PlainValue {
  const [access = '', ...functions] = expression.split('|').map((part) => part.trim())
  const [, name] = /^inputs\.([\w-]+)$/.exec(access) ?? []
  const value = name === undefined ? undefined : state.values.get(name)
  if (value === undefined) throw state.fail(`unknown interpolation key: \`${access}\``)
  if (functions.length > maxFunctions) throw state.fail('too many functions in an interpolation block')
  const made = functions.reduce((before: PlainValue, called) => call(called, before, state), value)
  state.left -= isText(made as Yaml) ? String(made).length : 1
  if (state.left < 0) throw new ConfigError(tooBig)
  return made
}

function call(called: string, value: PlainValue, { fail, lookup }: State): string {
  if (typeof value !== 'string') throw fail(`invalid input type for \`${called}\`: only strings have functions`)
  if (called === 'expand_vars') return expand(value, lookup)
  if (called === 'posix_escape') return value === '' ? "''" : value.replace(/[^\w@%+=:,./\n-]/g, '\\$&').replaceAll('\n', "'\n'")
  const [, from, length] = /^truncate\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)$/.exec(called) ?? []
  if (from !== undefined) return value.slice(Number(from), Number(from) + Number(length))
  throw fail(`no function matching \`${called}\`: check that the function name, arguments, and types are correct`)
}

function textFor(value: Yaml): string {
  return isMap(value) || Array.isArray(value) ? JSON.stringify(plainOf(value)) : String(value ?? '')
}

export function plainOf(value: Yaml): PlainValue {
  if (isMap(value)) return Object.fromEntries([...value].map(([key, entry]) => [key, plainOf(entry)]))
  if (Array.isArray(value)) return value.map(plainOf)
  return typeof value === 'object' && value !== null ? value.reference : value
}

export function yamlOf(value: PlainValue): Yaml {
  if (Array.isArray(value)) return value.map(yamlOf)
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value).map(([key, entry]) => [key, yamlOf(entry)]))
  return value
}
