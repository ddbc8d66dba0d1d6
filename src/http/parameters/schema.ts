/** Schemas of parameters and replies, beyond TypeBox's own. */
import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import type { LargeUpload, Upload } from './upload.ts'

/**
 * The value that a presenter returns for a schema: like `Static`, but optional properties may be undefined, and are not sent then. So a
 * presenter writes one object literal, and every reply of an endpoint has the same shape in memory.
 */
export type Presented<S extends TSchema> = Sent<Static<S>>

type Sent<T> =
  T extends Array<infer Item>
    ? Array<Sent<Item>>
    : T extends object
      ? { [K in keyof T]: Sent<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) }
      : T

/** The schema of an object in replies, with its name in the OpenAPI document and in generated clients. */
export function resource<P extends TProperties>(name: string, properties: P): TObject<P> {
  return Type.Object(properties, { title: name })
}

/** The reply if there is nothing else to return. */
export const Message = resource('Message', { message: Type.String() })

/** One of a few strings. */
export function oneOf<const T extends string>(...values: T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values })
}

/** One of a few strings; the first is the default. */
export function oneOfDefault<const T extends string>(fallback: T, ...others: T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [fallback, ...others], default: fallback })
}

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'], ...(values && { enum: [...values, null] }) })
}

/** An id: positive, up to the maximum of the database. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** An instant, converted to ISO 8601 in UTC. */
export const Instant = Type.String({ format: 'date-time' })

/** Bytes in base64. The serializer need not escape them (format `unsafe`). */
export const Base64 = Type.String({ format: 'unsafe', contentEncoding: 'base64' })

/** `YYYY-MM-DD`. */
export const Day = Type.String({ format: 'date' })

/** A boolean, false by default. */
export const Off = Type.Boolean({ default: false })

/** Text of up to `length` characters. */
export function text(length: number) {
  return Type.String({ maxLength: length })
}

/** A file of a multipart form. */
export const File = Type.Unsafe<Upload>({ type: 'object', contentEncoding: 'binary' })

/** A file of a multipart form that may be too large for memory, so it is streamed to disk. */
export const LargeFile = Type.Unsafe<LargeUpload>({ ...File, large: true })

const asSent = Symbol('as sent')

/** A name in a path, passed on unchanged: the lookup decides what can be a name, and anything else is 404. */
export function nameInPath(description: string) {
  return Type.String({ description, [asSent]: true })
}

/** A value of one of several types, passed on unchanged. The serializer writes the first that fits, and anything fits text. */
export const AnyValue = Type.Unsafe<unknown>({ type: ['array', 'boolean', 'number', 'string'], [asSent]: true })

/** Whether text for this schema may contain anything. */
export function isAsSent(schema: TSchema): boolean {
  return asSent in schema
}

/** Whether the schema is that of a file, or of a file or null. */
export function isFile(schema: TSchema): boolean {
  return (schema as { contentEncoding?: string }).contentEncoding === 'binary'
}

/** Whether the schema is that of a large file. */
export function isLargeFile(schema: TSchema): boolean {
  return isFile(schema) && 'large' in schema
}

export const none = Type.Null()
