/** SQL for versions of boards. */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import { digestOf, type Versions } from './watching.queries.ts'

/**
 * Versions of boards, which change with their lists, the order of issues, and issues. Every version is sent to all who see the board, so
 * confidential issues don't count, nor do those of projects that fewer people may see than the group.
 */
export const boardVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('boards')
    .select(['boards.id', 'boards.updated_at'])
    .select((eb) => [
      eb
        .selectFrom('board_lists')
        .select((lists) => sql<string>`count(*) || ' ' || coalesce(max(${lists.ref('board_lists.updated_at')}), '')`.as('version'))
        .whereRef('board_lists.board_id', '=', 'boards.id')
        .as('lists'),
      lastChangeIn(eb)
        .where((board) => board('projects.id', '=', board.ref('boards.project_id')))
        .as('project'),
      lastChangeIn(eb)
        .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
        .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
        .where((board) => board('namespaces.id', '=', board.ref('boards.namespace_id')))
        .where((board) =>
          board.or([
            board('namespaces.visibility', '=', 'private'),
            board('projects.visibility', '=', 'public'),
            board('projects.visibility', '=', board.ref('namespaces.visibility')),
          ]),
        )
        .as('group'),
    ])
    .where('boards.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, ...row }) => [id, digestOf(Object.values(row))]))
}

/** How many issues some projects have, and when one has changed last. */
function lastChangeIn(eb: ExpressionBuilder<Tables, 'boards'>) {
  return eb.selectFrom('projects').select((projects) => {
    const changed = projects
      .selectFrom('issues')
      .select('issues.updated_at')
      .whereRef('issues.project_id', '=', 'projects.id')
      .where('issues.confidential', '=', false)
      .orderBy('issues.updated_at', 'desc')
      .limit(1)
    const counted = projects
      .selectFrom('issue_counts')
      .select(({ fn }) => fn.sum<number>('issue_counts.number').as('number'))
      .whereRef('issue_counts.project_id', '=', 'projects.id')
      .where('issue_counts.confidential', '=', false)
    return sql<string>`coalesce(max(${changed}), '') || ' ' || coalesce(sum(${counted}), 0)`.as('version')
  })
}
