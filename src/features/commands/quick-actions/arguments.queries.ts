/** SQL for names in quick actions: users, labels and milestones of a project and the groups above it. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import type { Label, Milestone } from '../../../db/tables.ts'

type Place = Pick<LocatedProject, 'id' | 'namespace_id'>

function groupsAbove(db: Db, { namespace_id }: Place) {
  return db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespace_id)
}

/** By title or id, in the project and the groups above it. */
export async function labelsNamed(db: Db, place: Place, titles: string[], ids: number[]): Promise<Array<Pick<Label, 'id' | 'title'>>> {
  if (titles.length + ids.length === 0) return []
  return db
    .selectFrom('labels')
    .select(['id', 'title'])
    .where((eb) => eb.or([eb('project_id', '=', place.id), eb('namespace_id', 'in', groupsAbove(db, place))]))
    .where((eb) => eb.or([...(titles.length > 0 ? [eb('title', 'in', titles)] : []), ...(ids.length > 0 ? [eb('id', 'in', ids)] : [])]))
    .orderBy('id')
    .execute()
}

/** By title, or by the number of one of the project: an active one before a closed one, the project's own before a group's. */
export async function milestoneNamed(
  db: Db,
  place: Place,
  name: { title: string } | { iid: number },
): Promise<Pick<Milestone, 'id' | 'title'> | null> {
  const found = db
    .selectFrom('milestones')
    .select(['id', 'title'])
    .orderBy('state')
    .orderBy((eb) => eb.case().when('project_id', 'is', null).then(1).else(0).end())
    .limit(1)
  const named =
    'iid' in name
      ? found.where('project_id', '=', place.id).where('iid', '=', name.iid)
      : found
          .where('title', '=', name.title)
          .where((eb) => eb.or([eb('project_id', '=', place.id), eb('namespace_id', 'in', groupsAbove(db, place))]))
  return (await named.executeTakeFirst()) ?? null
}

export async function usersByUsernames(db: Db, usernames: string[]): Promise<Array<{ id: number; username: string }>> {
  if (usernames.length === 0) return []
  const keys = usernames.map((name) => name.toLowerCase())
  const found = await db.selectFrom('users').select(['id', 'username', 'username_key']).where('username_key', 'in', keys).execute()
  // In the order in which they were named.
  return keys.flatMap((key) => found.find(({ username_key }) => username_key === key) ?? [])
}

/** The labels of the lists of a project's only board; null if it has none or several. */
export async function labelsOfOnlyBoard(db: Db, projectId: number): Promise<number[] | null> {
  const boards = await db.selectFrom('boards').select('id').where('project_id', '=', projectId).limit(2).execute()
  const [board] = boards
  if (!board || boards.length > 1) return null
  const lists = await db.selectFrom('board_lists').select('label_id').where('board_id', '=', board.id).execute()
  return lists.map(({ label_id }) => label_id)
}
