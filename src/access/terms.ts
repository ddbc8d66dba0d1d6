/** Terms of service: whether a user must accept the current ones. */
import type { Db } from '../db/database.ts'
import type { User } from '../db/tables.ts'

/**
 * A column for queries that load a user, which saves a second query: digest of the current terms as JSON, as the settings store it; null if
 * none are enforced.
 */
export function termsInForce(db: Db) {
  return db.selectFrom('settings').select('settings.value').where('settings.name', '=', 'terms_in_force').as('terms_in_force')
}

/** Bots can't accept terms. */
export function awaitsTerms({ accepted_terms, kind }: Pick<User, 'accepted_terms' | 'kind'>, terms_in_force: string | null): boolean {
  return terms_in_force !== null && kind === 'human' && JSON.parse(terms_in_force) !== accepted_terms
}
