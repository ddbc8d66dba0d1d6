/** SQL that counts what the instance has. */
import type { SelectQueryBuilder } from 'kysely'
import { usersWhoMayAct } from '../../../access/states.ts'
import type { Db } from '../../../db/database.ts'
import { totalOf } from '../../../db/list-cache.ts'

/** One statement per count; none for tables that were not written to since they were counted. */
export async function countEverything(db: Db) {
  const count = <T, O>(query: SelectQueryBuilder<T, keyof T, O>) => totalOf(db, query)
  const humans = db.selectFrom('users').where('kind', '=', 'human')
  return {
    forks: await count(db.selectFrom('projects').where('forked_from_id', 'is not', null)),
    issues: await count(db.selectFrom('issues')),
    merge_requests: await count(db.selectFrom('merge_requests')),
    milestones: await count(db.selectFrom('milestones')),
    notes: await count(db.selectFrom('notes').where('system', '=', false)),
    snippets: await count(db.selectFrom('snippets')),
    ssh_keys: await count(db.selectFrom('ssh_keys').where('kind', '=', 'user')),
    users: await count(humans),
    groups: await count(db.selectFrom('namespaces').where('kind', '=', 'group')),
    projects: await count(db.selectFrom('projects')),
    active_users: await count(humans.where(usersWhoMayAct())),
  }
}
