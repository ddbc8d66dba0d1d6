/** SQL that reads the rows of a group and of all groups below it for an archive, table by table, in pages. */
import { isGroup, type LocatedGroup, locatedGroups } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import type { TableName } from './group-format.ts'

export type Row = Record<string, unknown> & { row_id: number }

type Read = (db: Db, group_id: number, after: number, limit: number) => Promise<Row[]>

/** The group and those below it, each after the one above. */
export function groupsFrom(db: Db, group_id: number): Promise<LocatedGroup[]> {
  return locatedGroups(db)
    .where(isGroup())
    .where('namespaces.id', 'in', groupsBelow(db, group_id))
    .orderBy((eb) =>
      eb
        .selectFrom('namespace_ancestors')
        .select((above) => above.fn.countAll<number>().as('depth'))
        .whereRef('namespace_ancestors.namespace_id', '=', 'namespaces.id'),
    )
    .orderBy('namespaces.id')
    .execute()
}

/** The next rows of each table, ordered by id. */
export const readRows: Record<Exclude<TableName, 'groups' | 'people'>, Read> = {
  members: (db, group_id, after, limit) =>
    db
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .select(['members.id as row_id', 'members.namespace_id as group', 'members.user_id as person', 'members.access_level'])
      .select(['members.expires_at', 'members.created_at'])
      .where('members.namespace_id', 'in', groupsBelow(db, group_id))
      // The bot users of tokens end with their tokens, which are not in the archive.
      .where('users.kind', '=', 'human')
      .where('members.id', '>', after)
      .orderBy('members.id')
      .limit(limit)
      .execute(),
  labels: (db, group_id, after, limit) =>
    db
      .selectFrom('labels')
      .select(['id as row_id', 'id', 'namespace_id as group', 'title', 'color', 'description', 'created_at', 'updated_at'])
      .where((eb) => eb.or([eb('namespace_id', 'in', groupsBelow(db, group_id)), eb('id', 'in', labelsOfLists(db, group_id))]))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  milestones: (db, group_id, after, limit) =>
    db
      .selectFrom('milestones')
      .select(['id as row_id', 'namespace_id as group', 'iid', 'title', 'description', 'state', 'start_date', 'due_date', 'closed_at'])
      .select(['created_at', 'updated_at'])
      .where('namespace_id', 'in', groupsBelow(db, group_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  boards: (db, group_id, after, limit) =>
    db
      .selectFrom('boards')
      .select(['id as row_id', 'id', 'namespace_id as group', 'name', 'hide_backlog_list', 'hide_closed_list', 'created_at', 'updated_at'])
      .where('namespace_id', 'in', groupsBelow(db, group_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  board_lists: (db, group_id, after, limit) =>
    db
      .selectFrom('board_lists')
      .select(['id as row_id', 'board_id as board', 'label_id as label', 'position', 'created_at', 'updated_at'])
      .where('board_id', 'in', boardsBelow(db, group_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  badges: (db, group_id, after, limit) =>
    db
      .selectFrom('badges')
      .select(['id as row_id', 'namespace_id as group', 'link_url', 'image_url', 'created_at'])
      .where('namespace_id', 'in', groupsBelow(db, group_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
}

function groupsBelow(db: Db, group_id: number) {
  return db.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', group_id)
}

function boardsBelow(db: Db, group_id: number) {
  return db.selectFrom('boards').select('boards.id').where('boards.namespace_id', 'in', groupsBelow(db, group_id))
}

/** Lists of boards may be of labels of groups further up. */
function labelsOfLists(db: Db, group_id: number) {
  return db.selectFrom('board_lists').select('board_lists.label_id').where('board_lists.board_id', 'in', boardsBelow(db, group_id))
}
