/** Words for the schemas of parameters and replies, beyond TypeBox's own. */
import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import type { LargeUpload, Upload } from './upload.ts'

/**
 * What a presenter gives for a schema: as `Static`, but an optional property may be there and undefined, and is not sent then.
 * So a presenter writes one object literal: every reply of an endpoint has the same shape in memory, and none is spread.
 */
export type Presented<S extends TSchema> = Sent<Static<S>>

type Sent<T> =
  T extends Array<infer Item>
    ? Array<Sent<Item>>
    : T extends object
      ? { [K in keyof T]: Sent<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) }
      : T

/** The schema of something the API gives: an object under the name it has in the OpenAPI document, and so in generated clients. */
export function resource<P extends TProperties>(name: string, properties: P): TObject<P> {
  return Type.Object(properties, { title: name })
}

/** What is answered where there is nothing to show. */
export const Message = resource('Message', { message: Type.String() })

/** One of a few strings. */
export function oneOf<const T extends string>(...values: T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values })
}

/** The first value is what a missing parameter means. */
export function oneOfDefault<const T extends string>(fallback: T, ...others: T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [fallback, ...others], default: fallback })
}

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'], ...(values && { enum: [...values, null] }) })
}

/** An id: positive, and no larger than a database holds. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** An instant, given back as ISO 8601 in UTC. */
export const Instant = Type.String({ format: 'date-time' })

/** Bytes in base64, of which the serialiser need not escape anything (`unsafe` is its word for that). */
export const Base64 = Type.String({ format: 'unsafe', contentEncoding: 'base64' })

/** `YYYY-MM-DD`. */
export const Day = Type.String({ format: 'date' })

/** A switch that is off unless sent. */
export const Off = Type.Boolean({ default: false })

/** Text of at most `length` characters. */
export function text(length: number) {
  return Type.String({ maxLength: length })
}

/** A file of a multipart form. */
export const File = Type.Unsafe<Upload>({ type: 'object', contentEncoding: 'binary' })

/** A file of a multipart form that is too large for memory: it goes to disk as it comes. */
export const LargeFile = Type.Unsafe<LargeUpload>({ ...File, large: true })

/** Whether the schema is that of a file, or of a file or null. */
export function isFile(schema: TSchema): boolean {
  return (schema as { contentEncoding?: string }).contentEncoding === 'binary'
}

/** Whether the schema is that of a large file. */
export function isLargeFile(schema: TSchema): boolean {
  return isFile(schema) && 'large' in schema
}

export const none = Type.Null()
