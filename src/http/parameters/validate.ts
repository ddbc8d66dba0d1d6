/** Validates parameters: converts text to numbers and booleans, drops undeclared parameters, and answers 400 for invalid ones. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { badParameter } from '../../failure.ts'
import { isObject, type Parameters } from './parameters.ts'
import { isAsSent, isFile, isLargeFile } from './schema.ts'
import { LargeUpload, Upload } from './upload.ts'

/** Marks a value that can't be converted; no schema accepts it. */
const unreadable = Symbol('unreadable')

export type Validate<P extends TProperties> = (sent: Parameters) => Static<TObject<P>>

/**
 * A validator of the declared parameters, compiled at first use: most endpoints of a process are never called. It throws 400 `{ error }`
 * naming each invalid parameter.
 */
export function validator<P extends TProperties>(properties: P): Validate<P> {
  const schema = Type.Object(properties)
  let compiled: Validator | null = null
  return (sent) => {
    compiled ??= Compile(schema)
    const values = readObject(properties, sent)
    if (!compiled.Check(values)) throw badParameter(fieldErrors(compiled.Errors(values)))
    return values as Static<TObject<P>>
  }
}

interface SchemaError {
  keyword: string
  instancePath: string
  params?: unknown
}

/** Messages that clients of this API expect: `name is missing`, `state does not have a valid value`, `id is invalid`. */
function fieldErrors(errors: SchemaError[]): string {
  const messages = errors.flatMap(({ keyword, instancePath, params }) => {
    const at = nameOf(instancePath)
    if (keyword === 'required') {
      const { requiredProperties = [] } = params as { requiredProperties?: string[] }
      return requiredProperties.map((name) => `${at ? `${at}[${name}]` : name} is missing`)
    }
    const valued = /^(enum|const|minimum|maximum|minLength|maxLength|minItems|maxItems|pattern|format)$/.test(keyword)
    return keyword === 'anyOf' ? [] : [`${at} ${valued ? 'does not have a valid value' : 'is invalid'}`]
  })
  return [...new Set(messages)].slice(0, 20).join(', ') || 'the parameters are invalid'
}

/** Converts `/actions/0/action` to `actions[0][action]`. */
function nameOf(path: string): string {
  const [first = '', ...rest] = path.split('/').slice(1)
  return first + rest.map((part) => `[${part}]`).join('')
}

function readObject(properties: TProperties, sent: Parameters): Parameters {
  const values: Parameters = {}
  for (const name in properties) {
    const value = read(properties[name] as JsonSchema, sent[name])
    if (value !== undefined) values[name] = value
  }
  return values
}

/** The parts of a JSON schema that conversion uses. */
interface JsonSchema extends TSchema {
  type?: string | string[]
  format?: string
  default?: unknown
  enum?: unknown[]
  items?: JsonSchema
  properties?: TProperties
}

function read(schema: JsonSchema, value: unknown): unknown {
  if (value === undefined) return schema.default
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  const nothing = types.includes('null') ? null : schema.default
  if (value === null) return nothing
  const type = typeToRead(schema, types)
  if (value === '' && !mayBeEmpty(schema, type)) return nothing
  switch (type) {
    case 'integer':
    case 'number':
      return readNumber(value)
    case 'boolean':
      return readBoolean(value)
    case 'string':
      return readText(schema, value)
    case 'array':
      return readList(schema, value)
    case 'object':
      if (isFile(schema)) return value instanceof (isLargeFile(schema) ? LargeUpload : Upload) ? value : unreadable
      return schema.properties && isObject(value) ? readObject(schema.properties, value) : value
    default:
      return value
  }
}

/** The type that text is converted to; undefined if the value is passed on unchanged. */
function typeToRead(schema: JsonSchema, types: ReadonlyArray<string | undefined>): string | undefined {
  const [type, another] = types.filter((candidate) => candidate !== 'null')
  return another !== undefined && isAsSent(schema) ? undefined : type
}

/** An empty form field counts as not sent, unless it is text. */
function mayBeEmpty(schema: JsonSchema, type: string | undefined): boolean {
  return isAsSent(schema) || (type === 'string' && !(schema.format ?? '').startsWith('date'))
}

function readNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
}

function readBoolean(value: unknown): unknown {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (/^(true|t|1|on|yes|y)$/i.test(word)) return true
  return /^(false|f|0|off|no|n)$/i.test(word) ? false : unreadable
}

function readText(schema: JsonSchema, value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return readText(schema, String(value))
  if (typeof value !== 'string' || (value.includes('\0') && !isAsSent(schema))) return unreadable
  if (schema.format === 'date-time') return readInstant(value)
  if (schema.format === 'date') return readDay(value)
  return value
}

/** An unencoded plus sign arrives as a space. */
const instant = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(?:Z|UTC)| ?([-+ ])(\d\d):?(\d\d))?)?$/i

/** Converts an ISO 8601 date or date with time, or one in Ruby's format (`2016-07-02 10:11:12 UTC`), to an instant in UTC. */
function readInstant(value: string): unknown {
  const [, day = '', time = '00:00', sign, hours, minutes] = instant.exec(value) ?? []
  const zone = sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`
  const found = Date.parse(`${day}T${time}${zone}`)
  return readDay(day) === unreadable || Number.isNaN(found) ? unreadable : new Date(found).toISOString()
}

function readDay(value: string): unknown {
  const day = value.slice(0, 10)
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ? day : unreadable
}

/** A single value counts as a list of one; indexes (`name[0]=…`) make a list, too. */
function readList(schema: JsonSchema, value: unknown): unknown {
  const items = Array.isArray(value)
    ? value
    : isObject(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
      ? Object.values(value)
      : [value]
  return schema.items ? items.map((item) => read(schema.items as JsonSchema, item)) : items
}
