/** SQL for invitations. */
import type { ExpressionBuilder, Insertable } from 'kysely'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Invitation, InvitationTable, Tables } from '../../../db/tables.ts'
import type { Place } from '../members/members.ts'

/** An invitation with the name of who sent it; null where that user is gone. */
export type SentInvitation = Omit<Invitation, 'token_digest' | 'sealed_token'> & { created_by_name: string | null }

const columns = [
  'invitations.id',
  'invitations.project_id',
  'invitations.namespace_id',
  'invitations.email',
  'invitations.access_level',
  'invitations.expires_at',
  'invitations.created_by_id',
  'invitations.created_at',
  'invitations.ends_at',
] as const

function isAt(place: Place) {
  return (eb: ExpressionBuilder<Tables, 'invitations'>) =>
    'project_id' in place ? eb('invitations.project_id', '=', place.project_id) : eb('invitations.namespace_id', '=', place.namespace_id)
}

function sentInvitations(db: Db) {
  return db
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.created_by_id')
    .select([...columns, 'users.name as created_by_name'])
    .where('invitations.ends_at', '>', now())
}

/** The open invitations, the oldest first. */
export function listInvitations(
  db: Db,
  place: Place,
  words: string | undefined,
  page: PageOf,
): Promise<{ rows: SentInvitation[]; total: number }> {
  const all = sentInvitations(db).where(isAt(place))
  return paginate((words ? all.where(contains('invitations.email', words)) : all).orderBy('invitations.id'), page)
}

export async function findInvitation(db: Db, place: Place, email: string): Promise<SentInvitation | null> {
  return (await sentInvitations(db).where(isAt(place)).where('invitations.email', '=', email).executeTakeFirst()) ?? null
}

export async function invitationByDigest(db: Db, digest: string): Promise<SentInvitation | null> {
  return (await sentInvitations(db).where('invitations.token_digest', '=', digest).executeTakeFirst()) ?? null
}

/** The sealed token of one that is open. */
export async function sealedTokenOf(db: Db, id: number): Promise<string | null> {
  const open = db.selectFrom('invitations').select('sealed_token').where('id', '=', id).where('ends_at', '>', now())
  return (await open.executeTakeFirst())?.sealed_token ?? null
}

export async function invitationById(db: Db, id: number): Promise<SentInvitation | null> {
  return (await sentInvitations(db).where('invitations.id', '=', id).executeTakeFirst()) ?? null
}

export async function pathOfInvitation(
  db: Db,
  { project_id, namespace_id }: Pick<Invitation, 'project_id' | 'namespace_id'>,
): Promise<string> {
  const routes = db.selectFrom('routes').select('path')
  const own = project_id === null ? routes.where('namespace_id', '=', namespace_id) : routes.where('project_id', '=', project_id)
  return (await own.executeTakeFirstOrThrow()).path
}

export async function countInvitations(db: Db, place: Place): Promise<number> {
  const all = db.selectFrom('invitations').where(isAt(place)).where('ends_at', '>', now())
  const { count } = await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

/** Fails on a unique index where the address is invited already. */
export async function insertInvitation(db: Db, row: Insertable<InvitationTable>): Promise<number> {
  return (await db.insertInto('invitations').values(row).returning('id').executeTakeFirstOrThrow()).id
}

/** Whether it was there. */
export async function updateInvitation(
  db: Db,
  id: number,
  change: Partial<Pick<Invitation, 'access_level' | 'expires_at' | 'ends_at' | 'created_by_id'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('invitations').set(change).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether it was there: of two who use it at once, one finds it. */
export async function deleteInvitation(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('invitations').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteEndedInvitations(db: Db, at: Instant, place: Place | null = null): Promise<void> {
  const ended = db.deleteFrom('invitations').where('ends_at', '<=', at)
  await (place === null ? ended : ended.where(isAt(place))).execute()
}
