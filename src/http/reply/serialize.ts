/** Serializes values as JSON by their schemas, and caches the text of values that never change. */
import { hash } from 'node:crypto'
import { build as fastJson, type Schema } from 'fast-json-stringify'
import type { TSchema } from 'typebox'

const compiled = new WeakMap<TSchema, (value: unknown) => string>()

/**
 * Returns a function that serializes values of the schema. Compiled at first use, like validation: that saves a tenth of a second at start,
 * and memory for endpoints that nobody calls. Endpoints with the same schema share the compiled function.
 */
export function serializer(schema: TSchema): (value: unknown) => string {
  let write: ((value: unknown) => string) | undefined
  return (value) => {
    write ??= compiledOnce(schema)
    return write(value)
  }
}

function compiledOnce(schema: TSchema): (value: unknown) => string {
  const known = compiled.get(schema)
  if (known) return known
  const write = fastJson(schema as Schema)
  compiled.set(schema, write)
  return write
}

const constants = new WeakSet<object>()

/**
 * Wraps a presenter so that the value and its text are cached as long as the source exists. Only for sources that are themselves cached and
 * never change, and for presenters that depend only on the source and a text, such as the URL of a project, which is almost always the
 * same.
 */
export function presentOnce<S extends object, T extends object>(
  present: (source: S, place: string) => T,
): (source: S, place?: string) => T {
  const made = new WeakMap<S, { place: string; value: T }>()
  return (source, place = '') => {
    const known = made.get(source)
    if (known && known.place === place) return known.value
    const value = constant(present(source, place))
    made.set(source, { place, value })
    return value
  }
}

/** Marks a value as immutable, so that its text is cached with it. */
export function constant<T extends object>(value: T): T {
  constants.add(value)
  return value
}

/** Wraps a function so that its result is cached with an immutable value. */
export function keptWithConstants<T>(make: (value: unknown) => T): (value: unknown) => T {
  const made = new WeakMap<object, { result: T }>()
  return (value) => {
    if (typeof value !== 'object' || value === null || !constants.has(value)) return make(value)
    const known = made.get(value)
    if (known) return known.result
    const result = make(value)
    made.set(value, { result })
    return result
  }
}

export interface Text {
  text: string
  bytes: number
  /** The entity tag: weak, as a proxy may compress the bytes. */
  etag: string
}

/** The text with what the head of an answer says about it. */
export function described(text: string): Text {
  return { text, bytes: Buffer.byteLength(text), etag: `W/"${hash('sha1', text, 'hex')}"` }
}

/** Returns a function that serializes values of the schema. */
export function textWriter(schema: TSchema): (value: unknown) => Text {
  const write = serializer(schema)
  return keptWithConstants((value) => described(write(value)))
}
