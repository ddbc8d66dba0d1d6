/** The type of a setting, and the kinds of values that settings have. */
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import { nullable, oneOf, text } from '../../../http/parameters/schema.ts'

export interface Setting<S extends TSchema = TSchema> {
  schema: S
  fallback: Static<S>
  /** Whether it has an effect here; otherwise it is only stored and returned. */
  effective: boolean
  /** One line for the documentation. */
  meaning: string
  /** The settings without which it can't be turned on. */
  requires: readonly string[]
  /** Whether these must be in the same request; otherwise they only need to be set. */
  sent: boolean
  /** The error for those that are empty while it is on; null if they may be. */
  blank: string | null
  /** The error of a value of the right type, or null. */
  validate: ((value: string) => string | null) | null
  /** The switch without which the value is not used, and so not validated; null if it is always used. */
  heededWith: string | null
}

type Options = Partial<Pick<Setting, 'requires' | 'sent' | 'blank' | 'validate' | 'heededWith'>>

const usual = { requires: [], sent: true, blank: "can't be blank", validate: null, heededWith: null }

/** A setting with an effect on this server. */
export function effective<S extends TSchema>(schema: S, fallback: Static<S>, meaning: string, options: Options = {}): Setting<S> {
  return { ...usual, schema, fallback, effective: true, meaning, ...options }
}

/** A setting that is only stored for clients that know it. */
export function stored<S extends TSchema>(schema: S, fallback: Static<S>, meaning: string, options: Options = {}): Setting<S> {
  return { ...usual, schema, fallback, effective: false, meaning, ...options }
}

export const flag = Type.Boolean()

const maxInteger = 2 ** 31 - 1

export function integer(min: number) {
  return Type.Integer({ minimum: min, maximum: maxInteger })
}

/** A line, or null. */
export const line = nullable(text(255))

/** A text, or null. It is Markdown, and limited to what can be rendered in time. */
export const prose = nullable(text(128 * 1024))

export const visibility = oneOf('private', 'internal', 'public')

export const names = Type.Array(text(255), { maxItems: 10_000 })

/** Any of several words. */
export function someOf<const T extends string>(...values: T[]) {
  return Type.Array(oneOf(...values), { uniqueItems: true })
}

/** One of a few numbers. */
export function numberOf<const T extends number>(...values: T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'integer', enum: values })
}

/** The type as the documentation words it. */
export function wordsOf(schema: TSchema): string {
  const { type, enum: values, items } = schema as { type: string | string[]; enum?: unknown[]; items?: TSchema }
  const [kind, ...more] = Array.isArray(type) ? type : [type]
  const plain = items ? `list of ${items && 'enum' in items ? wordsOf(items) : 'strings'}` : kind
  const known = values?.filter((value) => value !== null).map((value) => `\`${value}\``)
  return `${known ? known.join(', ') : plain}${more.includes('null') ? ' or null' : ''}`
}
