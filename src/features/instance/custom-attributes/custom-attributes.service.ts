/** Custom attributes of users, groups and projects: keys and values that only administrators see. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { missing } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { attributeOf, attributesOf, type CustomAttributeRow, type Noted, upsertAttribute } from './custom-attributes.queries.ts'

export interface Attribute {
  key: string
  value: string
}

/** The attributes of each of these: one statement. */
export async function customAttributesOf(db: Db, kind: Noted, ids: readonly number[]): Promise<Map<number, Attribute[]>> {
  const found = new Map<number, Attribute[]>(ids.map((id) => [id, []]))
  for (const { id, key, value } of await attributesOf(db, kind, ids)) found.get(id)?.push({ key, value })
  return found
}

/** Throws `404 Not found` if there is no attribute with the key. */
export async function findAttribute(db: Db, kind: Noted, id: number, key: string): Promise<CustomAttributeRow> {
  const attribute = await attributeOf(db, kind, id, key)
  if (!attribute) throw missing()
  return attribute
}

const longest = 255

/** Sets the value of a key. Throws 400 if it is blank or too long. */
export async function setAttribute(db: Db, kind: Noted, id: number, { key, value }: Attribute): Promise<Attribute> {
  assertValid({
    key: blankError(key) ?? lengthError(key, longest),
    value: blankError(value) ?? lengthError(value, longest),
  })
  await upsertAttribute(db, kind, id, { key, value, updated_at: now() })
  return { key, value }
}
