/** Schemas that lines of archives share. */
import { type TProperties, Type } from 'typebox'
import { nullable } from '../../../http/parameters/schema.ts'

export const text = (length: number) => Type.String({ maxLength: length })
export const flag = Type.Boolean()
/** In the format of the tables. */
export const Instant = Type.String({
  pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z$',
})
export const Day = Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' })
export const Oid = Type.String({ pattern: '^[0-9a-f]{40}$' })
/** URLs that are safe to link to: a click runs no script. */
export const Url = Type.String({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?:\\S+$', maxLength: 4_096 })
/** The limit of texts in the API, plus what an import may add. */
export const longText = text(1_100_000)
export const refName = text(4_096)
export const number = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** The number of a line in `people`. */
export const Person = nullable(number)

/** Without further properties, as they become the columns of a row. */
export const line = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })
