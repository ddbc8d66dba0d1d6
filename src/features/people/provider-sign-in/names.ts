/** Finds valid and available usernames for people from a provider. */
import { randomInt } from 'node:crypto'
import type { Db } from '../../../db/database.ts'
import { pathError, pathFromName } from '../../namespaces/namespaces.ts'
import { takenNames } from './names.queries.ts'

const longestStem = 200
const tries = 20

/** The first name that is valid, with a number appended if it is taken. Others may take it meanwhile. */
export async function freeUsername(db: Db, names: ReadonlyArray<string | null>): Promise<string> {
  const stem = names.map(stemOf).find((one) => one !== '') ?? 'user'
  const numbered = Array.from({ length: tries }, (_, index) => (index === 0 ? stem : `${stem}${index}`))
  const random = `${stem}${randomInt(100_000, 1_000_000)}`
  const possible = [...numbered, random].filter((name) => pathError(name, 'namespace', null) === null)
  const taken = await takenNames(
    db,
    possible.map((name) => name.toLowerCase()),
  )
  return possible.find((name) => !taken.has(name.toLowerCase())) ?? random
}

/** For an email address, the part before the `@`. */
function stemOf(name: string | null): string {
  const [beforeAt = ''] = (name ?? '').split('@')
  const stem = beforeAt.trim().slice(0, longestStem)
  // A reserved name is valid with a number appended.
  return pathError(`${stem}1`, 'namespace', null) === null && stem !== '' ? stem : pathFromName(stem)
}
