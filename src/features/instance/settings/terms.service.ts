/** The terms of service: who has accepted them as they are now. */
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { noteAcceptance } from './settings.queries.ts'
import { digestOfTerms, readSettings } from './settings.service.ts'

export interface Terms {
  terms: string | null
  /** Whether nobody is served who has not accepted them. */
  enforced: boolean
  accepted: boolean
}

/** The terms, and whether this user has accepted them. */
export async function termsFor(db: Db, { accepted_terms }: Pick<User, 'accepted_terms'>): Promise<Terms> {
  const { terms, enforce_terms: enforced } = await readSettings(db)
  return { terms, enforced, accepted: terms !== null && accepted_terms === digestOfTerms(terms) }
}

/** Notes that the user accepts the terms as they are now. Throws 404 when there are none. */
export async function acceptTerms(db: Db, { id }: Pick<User, 'id'>): Promise<Terms> {
  const { terms } = await readSettings(db)
  if (terms === null) throw notFound('Terms')
  const accepted_terms = digestOfTerms(terms)
  await noteAcceptance(db, id, accepted_terms)
  return termsFor(db, { accepted_terms })
}
