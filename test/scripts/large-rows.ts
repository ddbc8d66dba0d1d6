/** Many rows with texts as large as clients may make them. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import type { Forge } from '../support/forge.ts'

export const count = 100
const mebibyte = 1024 * 1024
export const text = (length: number) => 'a long line of words\n'.repeat(Math.ceil(length / 21)).slice(0, length)
export const large = text(mebibyte)
export const numbers = Array.from({ length: count }, (_, index) => index + 1)

type Cloned =
  | 'issues'
  | 'notes'
  | 'merge_requests'
  | 'milestones'
  | 'snippets'
  | 'labels'
  | 'boards'
  | 'releases'
  | 'draft_notes'
  | 'hook_payloads'
  | 'flag_user_lists'
  | 'gpg_keys'

/** As many rows as there are to be of a list, with the first one: its copies, but for what `other` says. Their ids. */
export async function cloned<T extends Cloned>(
  { app: { db } }: Forge,
  table: T,
  id: number,
  other: (number: number) => object,
): Promise<number[]> {
  const row = (await db
    .selectFrom(table as 'issues')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()) as object
  const ids = [id]
  for (const number of numbers.slice(1)) {
    const { id: _, ...values } = { ...row, ...other(number) } as { id?: number }
    const made = await db
      .insertInto(table as 'issues')
      .values(values as Insertable<Tables['issues']>)
      .returning('id')
      .executeTakeFirstOrThrow()
    ids.push(made.id)
  }
  return ids
}
