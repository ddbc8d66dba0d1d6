/** Terms of service: who has accepted the current ones. */
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { noteAcceptance } from './settings.queries.ts'
import { digestOfTerms, readSettings } from './settings.service.ts'

export interface Terms {
  terms: string | null
  /** Whether they must be accepted. */
  enforced: boolean
  accepted: boolean
}

/** The terms, and whether this user has accepted them. */
export async function termsFor(db: Db, { accepted_terms }: Pick<User, 'accepted_terms'>): Promise<Terms> {
  const { terms, enforce_terms: enforced } = await readSettings(db)
  return { terms, enforced, accepted: terms !== null && accepted_terms === digestOfTerms(terms) }
}

/** Records that the user accepts the current terms. Throws 404 if there are none. */
export async function acceptTerms(db: Db, { id }: Pick<User, 'id'>): Promise<Terms> {
  const { terms } = await readSettings(db)
  if (terms === null) throw notFound('Terms')
  const accepted_terms = digestOfTerms(terms)
  await noteAcceptance(db, id, accepted_terms)
  return termsFor(db, { accepted_terms })
}
