/** SQL for the order of issues in lists of boards. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Tables } from '../../../db/tables.ts'

/** The issues that share an order: of a project, or of all projects of a group and the groups below it. */
export type OrderScope = { project_id: number } | { namespace_id: number }

export interface Positioned {
  id: number
  relative_position: number | null
}

/** Higher than every position: issues that nobody has moved come last, the newest first. */
const unmoved = 9_007_199_254_740_991

/** The position in lists, followed by descending `issues.id`. Must match the expression of the index. */
export const listPosition = sql<number>`coalesce(${sql.ref('issues.relative_position')}, ${sql.lit(unmoved)})`

export function inScope(scope: OrderScope) {
  return (eb: ExpressionBuilder<Tables, 'issues'>): Expression<SqlBool> =>
    'project_id' in scope
      ? eb('issues.project_id', '=', scope.project_id)
      : eb(
          'issues.project_id',
          'in',
          eb
            .selectFrom('projects as ordered')
            .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'ordered.namespace_id')
            .select('ordered.id')
            .where('namespace_ancestors.ancestor_id', '=', scope.namespace_id),
        )
}

/** An issue of the scope that the viewer can see. */
export async function positionOf(db: Db, scope: OrderScope, viewer: Viewer, id: number): Promise<Positioned | null> {
  const found = await db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', 'issues.relative_position'])
    .where('issues.id', '=', id)
    .where(inScope(scope))
    .where(issuesVisibleTo(viewer))
    .executeTakeFirst()
  return found ?? null
}

/** Gives every issue of the scope without a position one after all others, in the order in which they are listed. */
export async function positionAll(tx: Tx, scope: OrderScope, distance: number): Promise<void> {
  const ofScope = () => tx.selectFrom('issues').where(inScope(scope))
  const last = await ofScope()
    .select((eb) => eb.fn.max('issues.relative_position').as('position'))
    .executeTakeFirst()
  const numbered = ofScope()
    .select(['issues.id', sql<number>`row_number() over (order by ${sql.ref('issues.id')} desc)`.as('number')])
    .where('issues.relative_position', 'is', null)
    .as('numbered')
  await tx
    .updateTable('issues')
    .from(numbered)
    .set({ relative_position: sql`${sql.lit(Number(last?.position ?? 0))} + numbered.number * ${sql.lit(distance)}` })
    .whereRef('issues.id', '=', 'numbered.id')
    .execute()
}

/** The issues after a position, in order. */
export async function followersOf(tx: Tx, scope: OrderScope, position: number, exceptId: number, limit: number): Promise<Positioned[]> {
  return tx
    .selectFrom('issues')
    .select(['issues.id', 'issues.relative_position'])
    .where(inScope(scope))
    .where('issues.relative_position', '>', position)
    .where('issues.id', '!=', exceptId)
    .orderBy('issues.relative_position')
    .limit(limit)
    .execute()
}

/** The position before this one; null if it is the first. */
export async function positionBefore(tx: Tx, scope: OrderScope, position: number, exceptId: number): Promise<number | null> {
  const found = await tx
    .selectFrom('issues')
    .select((eb) => eb.fn.max('issues.relative_position').as('position'))
    .where(inScope(scope))
    .where('issues.relative_position', '<', position)
    .where('issues.id', '!=', exceptId)
    .executeTakeFirst()
  return found?.position === null || found?.position === undefined ? null : Number(found.position)
}

export async function setPosition(tx: Tx, id: number, relative_position: number): Promise<void> {
  await tx.updateTable('issues').set({ relative_position }).where('id', '=', id).execute()
}

/** Marks the boards that show this order as changed. */
export async function touchBoards(tx: Tx, scope: OrderScope): Promise<void> {
  const boards = tx.updateTable('boards').set({ updated_at: now() })
  await ('project_id' in scope
    ? boards.where('project_id', '=', scope.project_id)
    : boards.where('namespace_id', '=', scope.namespace_id)
  ).execute()
}

/** Moves all issues after a position further back. */
export async function shiftAll(tx: Tx, scope: OrderScope, position: number, by: number): Promise<void> {
  await tx
    .updateTable('issues')
    .set((eb) => ({ relative_position: eb('relative_position', '+', by) }))
    .where(inScope(scope))
    .where('issues.relative_position', '>', position)
    .execute()
}
