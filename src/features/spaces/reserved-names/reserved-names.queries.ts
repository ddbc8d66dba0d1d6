/** SQL for paths that end in what addresses of files end in. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { fileEndings } from '../../namespaces/namespaces.ts'

/** Namespaces of users and groups whose paths are reserved now, with the user whose own it is; those at the top first. */
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
