/** SQL for packages and their files. */
import { codeVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Package, PackageFile } from '../../../db/tables.ts'

export interface PackageFilter {
  package_name?: string | undefined
  package_version?: string | undefined
  order_by: 'created_at' | 'name' | 'version' | 'type'
  sort: 'asc' | 'desc'
}

/** The packages of a project; hidden ones are only found by name. */
export function listPackages(db: Db, project_id: number, filter: PackageFilter, page: PageOf): Promise<{ rows: Package[]; total: number }> {
  return paginate(selectListed(db, filter).where('packages.project_id', '=', project_id), page)
}

/** The packages of the projects in a group, or also below it, whose code the viewer may read. */
export function listPackagesOfGroup(
  db: Db,
  { group_id, isAlone, viewer }: { group_id: number; isAlone: boolean; viewer: Viewer },
  filter: PackageFilter,
  page: PageOf,
): Promise<{ rows: Array<Package & { project_path: string }>; total: number }> {
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', group_id)
  const query = selectListed(db, filter)
    .innerJoin('projects', 'projects.id', 'packages.project_id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select('routes.path as project_path')
    .where((eb) => (isAlone ? eb('projects.namespace_id', '=', group_id) : eb('projects.namespace_id', 'in', below)))
    .where(codeVisibleTo(viewer))
  return paginate(query, page)
}

function selectListed(db: Db, { package_name, package_version, order_by, sort }: PackageFilter) {
  let query = db.selectFrom('packages').selectAll('packages').where('packages.status', '=', 'default')
  if (package_name !== undefined) query = query.where(contains('packages.name', package_name))
  if (package_version !== undefined) query = query.where('packages.version', '=', package_version)
  return query.orderBy(columns[order_by], sort).orderBy('packages.id', sort)
}

const columns = { created_at: 'packages.created_at', name: 'packages.name', version: 'packages.version', type: 'packages.kind' } as const

export async function packageById(db: Db, project_id: number, id: number): Promise<Package | null> {
  return (await db.selectFrom('packages').selectAll().where('id', '=', id).where('project_id', '=', project_id).executeTakeFirst()) ?? null
}

/** The newest file with this name in the version of a package. */
export async function fileNamed(
  db: Db,
  project_id: number,
  { name, version, file_name }: { name: string; version: string; file_name: string },
): Promise<PackageFile | null> {
  const found = await db
    .selectFrom('package_files')
    .innerJoin('packages', 'packages.id', 'package_files.package_id')
    .selectAll('package_files')
    .where('packages.project_id', '=', project_id)
    .where('packages.kind', '=', 'generic')
    .where('packages.name', '=', name)
    .where('packages.version', '=', version)
    .where('package_files.file_name', '=', file_name)
    .orderBy('package_files.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found ?? null
}

/** The version of a package, created if necessary, locked until the transaction ends. */
export function ensurePackage(
  tx: Db,
  fields: Pick<Package, 'project_id' | 'creator_id' | 'name' | 'version' | 'status'>,
): Promise<Package> {
  return tx
    .insertInto('packages')
    .values({ ...fields, kind: 'generic', created_at: now() })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind', 'name', 'version']).doUpdateSet({ status: fields.status }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function insertFile(tx: Db, fields: Omit<PackageFile, 'id' | 'created_at'>): Promise<PackageFile> {
  return tx
    .insertInto('package_files')
    .values({ ...fields, created_at: now() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Oldest first. */
export function listFiles(db: Db, package_id: number, page: PageOf): Promise<{ rows: PackageFile[]; total: number }> {
  return paginate(db.selectFrom('package_files').selectAll().where('package_id', '=', package_id).orderBy('id'), page)
}

/** Deletes the package and its files, and returns the keys of their objects. */
export async function deletePackage(tx: Db, id: number): Promise<string[]> {
  const rows = await tx.deleteFrom('package_files').where('package_id', '=', id).returning('store_key').execute()
  await tx.deleteFrom('packages').where('id', '=', id).execute()
  return rows.map(({ store_key }) => store_key)
}

/** Null if the package has no such file. */
export async function deleteFile(tx: Db, package_id: number, id: number): Promise<string | null> {
  const row = await tx
    .deleteFrom('package_files')
    .where('id', '=', id)
    .where('package_id', '=', package_id)
    .returning('store_key')
    .executeTakeFirst()
  return row?.store_key ?? null
}
