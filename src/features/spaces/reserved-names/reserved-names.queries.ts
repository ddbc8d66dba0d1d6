/** SQL for paths that end like the name of a file. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { fileEndings } from '../../namespaces/namespaces.ts'

/** Namespaces of users and groups whose paths are now reserved, with the user of a personal one; top-level ones first. */
export function namespacesWithReservedPaths(db: Db) {
  return db
    .selectFrom('namespaces')
    .select(['id', 'kind', 'owner_id', 'path'])
    .where((eb) => endsAsFiles(eb))
    .orderBy('id')
    .execute()
}

export function projectsWithReservedPaths(db: Db) {
  return db
    .selectFrom('projects')
    .select(['id', 'namespace_id', 'path'])
    .where((eb) => endsAsFiles(eb))
    .orderBy('id')
    .execute()
}

function endsAsFiles<T extends 'namespaces' | 'projects'>(eb: ExpressionBuilder<Tables, T>): Expression<SqlBool> {
  const { or, fn } = eb as ExpressionBuilder<Tables, 'namespaces' | 'projects'>
  return or(fileEndings.map((ending) => eb(fn<string>('lower', ['path']), 'like', `%.${ending}`)))
}
