/** Values as JSON, by their schemas; of a value that never changes the text is kept. */
import { build as fastJson, type Schema } from 'fast-json-stringify'
import type { TSchema } from 'typebox'

const compiled = new WeakMap<TSchema, (value: unknown) => string>()

/**
 * Gives values of the schema as JSON. Compiled when it is first wanted, as validation is: a start takes a tenth of a second less, and what
 * nobody calls no memory. Endpoints with the same schema share what was compiled.
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
 * The same presenter, which presents the same source once: what it gives is kept as long as the source is, and so is its text.
 * Only for sources that are themselves kept and never change, and for presenters that look at nothing but these and a text, such as
 * the address of a project, which is the same each time with few exceptions.
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

/** Says of a value that nobody will change it: where it is kept, its text is kept with it. */
export function constant<T extends object>(value: T): T {
  constants.add(value)
  return value
}

/** Wraps a function so that its result is kept with a value that never changes. */
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
}

/** Gives values of the schema as JSON. */
export function textWriter(schema: TSchema): (value: unknown) => Text {
  const write = serializer(schema)
  return keptWithConstants((value) => {
    const text = write(value)
    return { text, bytes: Buffer.byteLength(text) }
  })
}
