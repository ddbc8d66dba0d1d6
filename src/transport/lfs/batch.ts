/** `POST objects/batch`: the actions for a list of large files to download or upload. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { httpCloneUrl } from '../../addresses/links.ts'
import type { App } from '../../app.ts'
import type { LfsObject } from '../../db/tables.ts'
import { findLargeFiles, isOid, isSize, type LargeFile } from '../../features/repository/lfs/lfs.ts'
import { refusalOfSize } from '../../features/storage/quotas/quotas.ts'
import { admitToLfs, callerOf, type LfsCaller } from './caller.ts'
import { type Fields, invalid, isFields, LfsFailure, readFields, send, tooMuch } from './json.ts'

/** Clients request a hundred at once. */
const maxObjects = 1_000
/** As long as a presigned URL of the object store is valid. */
const address_s = 15 * 60

interface Batch {
  operation: 'download' | 'upload'
  objects: LargeFile[]
}

export async function answerBatch(app: App, request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  const caller = await callerOf(app, request)
  const reading = await admitToLfs(app, caller, path, 'read')
  const { operation, objects } = asBatch(await readFields(request))
  const { project } = operation === 'upload' ? await admitToLfs(app, caller, path, 'write') : reading
  const oids = objects.map(({ oid }) => oid)
  const known = await findLargeFiles(app.db, project.id, oids)
  const added = objects.filter(({ oid }) => !known.has(oid)).reduce((sum, { size }) => sum + size, 0)
  const full = operation === 'upload' && added > 0 ? await refusalOfSize(app, project, 'repository', added) : null
  const root = `${httpCloneUrl(app.config, project.full_path)}/info/lfs/objects`
  const answers = objects.map((object) => {
    const found = known.get(object.oid)
    if (found && found.size !== object.size) return refused(object, 422, `The object has ${found.size} bytes.`)
    if (full !== null && !found) return refused(object, 507, full)
    if (operation === 'upload') return found ? object : uploadOf(object, root, caller)
    return found ? downloadOf(app, found, root, caller) : refused(object, 404, 'The project has no such object.')
  })
  return send(reply, { transfer: 'basic', objects: await Promise.all(answers), hash_algo: 'sha256' })
}

/** Throws 422 for a malformed request, 409 for another hash algorithm, 413 for too many objects. */
function asBatch({ operation, transfers, ref, hash_algo, objects }: Fields): Batch {
  if (operation !== 'download' && operation !== 'upload') throw invalid('The operation must be download or upload.')
  if (!isAbsent(transfers)) requireBasic(transfers)
  if (!isAbsent(ref) && !(isFields(ref) && typeof ref.name === 'string')) throw invalid('The ref must have a name.')
  if (!isAbsent(hash_algo) && hash_algo !== 'sha256') throw new LfsFailure(409, 'Objects are known by their SHA-256 alone.')
  if (!Array.isArray(objects)) throw invalid('The objects must be a list.')
  if (objects.length > maxObjects) throw tooMuch(`At most ${maxObjects} objects may be requested at once.`)
  return { operation, objects: objects.map(asLargeFile) }
}

export function asLargeFile(object: unknown): LargeFile {
  const { oid, size } = isFields(object) ? object : {}
  if (!isOid(oid)) throw invalid('An oid must be 64 hexadecimal digits in lower case.')
  if (!isSize(size)) throw invalid('A size must be a whole number of bytes.')
  return { oid, size }
}

function requireBasic(transfers: unknown): void {
  if (!Array.isArray(transfers) || transfers.some((name) => typeof name !== 'string'))
    throw invalid('The transfers must be a list of names.')
  if (transfers.length > 0 && !transfers.includes('basic')) throw invalid('The only transfer spoken here is basic.')
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function refused({ oid, size }: LargeFile, code: number, message: string) {
  return { oid, size, error: { code, message } }
}

/** An upload is required even if the instance has the object: knowing its hash doesn't prove possession. */
function uploadOf({ oid, size }: LargeFile, root: string, caller: LfsCaller) {
  const actions = { upload: actionOf(`${root}/${oid}`, caller), verify: actionOf(`${root}/verify`, caller) }
  return { oid, size, authenticated: true, actions }
}

async function downloadOf(app: App, { oid, size, store_key }: LfsObject, root: string, caller: LfsCaller) {
  const direct = await app.store.address(store_key, address_s)
  // Our credentials must not be sent to the store.
  const download = direct === null ? actionOf(`${root}/${oid}`, caller) : { href: direct, expires_in: address_s }
  return { oid, size, authenticated: true, actions: { download } }
}

function actionOf(href: string, { authorization, expires_in }: LfsCaller) {
  return { href, ...(authorization !== null && { header: { Authorization: authorization } }), expires_in }
}
