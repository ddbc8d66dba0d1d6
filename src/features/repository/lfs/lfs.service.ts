/**
 * Large files of projects. The instance stores each of them once, but a project only has one after its bytes were sent to that very
 * project: a hash is not a secret, and knowing it must not give access.
 */
import type { Readable } from 'node:stream'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { LfsObject, Project } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { projectExists } from '../../spaces/projects/projects.ts'
import { abandon, refer, storeObject } from '../../storage/object-storage/object-storage.ts'
import { copyLinks, insertLink, isDisabledAbove, keepObject, objectsOf } from './lfs.queries.ts'

/** Identifies a large file: the SHA-256 of its content in hexadecimal, and its size in bytes. */
export interface LargeFile {
  oid: string
  size: number
}

export function isOid(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}

export function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Throws 403 if the project, or a group above it, has large files disabled. */
export async function requireLargeFiles(db: Db, project: Project): Promise<void> {
  if (project.lfs_enabled && !(await isDisabledAbove(db, project.namespace_id))) return
  throw new Failure('forbidden', 'Git LFS is disabled for this project.')
}

/** The given files that the project has. */
export function findLargeFiles(db: Db, project_id: number, oids: string[]): Promise<Map<string, LfsObject>> {
  return objectsOf(db, project_id, [...new Set(oids)])
}

/** Stores the bytes of `source` as a file of the project. Throws 400 if they don't match its hash and size. */
export async function storeLargeFile(app: App, project_id: number, source: Readable, { oid, size }: LargeFile): Promise<void> {
  const key = await storeObject(app, 'lfs', source, { size, sha256: oid })
  await whileProjectExists(app.db, project_id, () => inTransaction(app.db, (tx) => link(tx, project_id, { oid, size, store_key: key })))
}

/** Runs work for a project that may be deleted meanwhile: throws 404 if it fails for that reason. */
export async function whileProjectExists<T>(db: Db, project_id: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (await projectExists(db, project_id)) throw error
    throw new Failure('not_found', 'The project was deleted meanwhile.', { cause: error })
  }
}

/** A fork gets the large files of its source: its creator could have downloaded them all. */
export function shareLargeFiles(tx: Db, from: number, to: number): Promise<void> {
  return copyLinks(tx, from, to)
}

/** If another upload has already stored the object, for any project, that copy is kept and this one removed. */
async function link(tx: Db, project_id: number, object: LargeFile & { store_key: string }): Promise<void> {
  const kept = await keepObject(tx, object)
  if (kept !== object.store_key) await abandon(tx, object.store_key)
  else if (!(await refer(tx, object.store_key))) throw new Failure('timed_out', 'The upload took longer than a day.')
  await insertLink(tx, project_id, object)
}
