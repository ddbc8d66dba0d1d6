/** Transfers the LFS files of the commits in a run of a mirror, before its branches and tags. */
import type { App } from '../../../app.ts'
import type { LfsObject } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { openDownload } from '../../../outgoing/download.ts'
import { send } from '../../../outgoing/send.ts'
import { findLargeFiles, type LargeFile, largeFilesIn, requireLargeFiles, storeLargeFile } from '../../repository/lfs/lfs.ts'
import { type Action, askForActions, confirm, type LfsServer, targetOf } from './lfs-server.ts'

/** Per batch request. */
const batch = 100
/** Concurrent transfers. */
const atOnce = 4
const transfer_ms = 3_600_000
/** Per run, the same limit as for the repository itself. */
const maxTotal_bytes = 10 * 1024 ** 3

export interface Commits {
  /** The commits that the receiver may not have. */
  tips: Iterable<string>
  known: Iterable<string>
}

export interface Transfer {
  project: Parameters<typeof requireLargeFiles>[1]
  /** Connects once there is something to transfer. */
  server: (operation: 'upload' | 'download') => Promise<LfsServer>
  signal: AbortSignal
}

/**
 * Sends what the remote doesn't have.
 * @returns how many it rejected; throws on failure, so that the run is retried
 */
export async function sendLargeFiles(app: App, { project, server, signal }: Transfer, commits: Commits): Promise<number> {
  const named = await namedIn(app, project, commits)
  const ours = await owned(app, project.id, named)
  const files = named.filter(({ oid }) => ours.has(oid))
  return transferAll(files, { operation: 'upload', server, signal }, async (file, { upload, verify }) => {
    if (!upload) return
    const { store_key } = ours.get(file.oid) as LfsObject
    const target = await targetOf(app, upload)
    const headers = { 'content-type': 'application/octet-stream', ...upload.header }
    // Opened last, as `send` closes it: an address that is refused would leave it open.
    const body = await app.store.open(store_key)
    await send(target, { method: 'PUT', body, size: file.size, headers, deadline_ms: transfer_ms, signal })
    if (verify) await confirm(app, verify, file, signal)
  })
}

/**
 * Fetches what the project doesn't have.
 * @returns how many the remote didn't provide; throws on failure, so that the run is retried
 */
export async function fetchLargeFiles(app: App, { project, server, signal }: Transfer, commits: Commits): Promise<number> {
  const named = await namedIn(app, project, commits)
  const ours = await owned(app, project.id, named)
  const files = named.filter(({ oid }) => !ours.has(oid))
  if (files.reduce((sum, { size }) => sum + size, 0) > maxTotal_bytes)
    throw new Failure('too_large', `The large files have more than ${maxTotal_bytes} bytes`)
  return transferAll(files, { operation: 'download', server, signal }, async (file, { download }) => {
    if (!download) throw new Failure('not_found', 'The other repository does not give a large file that it has')
    const options = { headers: download.header, deadline_ms: transfer_ms, signal }
    await storeLargeFile(app, project.id, await openDownload(await targetOf(app, download), options), file)
  })
}

/** Empty if LFS is disabled in the project. */
async function namedIn(app: App, project: Transfer['project'], { tips, known }: Commits): Promise<LargeFile[]> {
  const isEnabled = await requireLargeFiles(app.db, project).then(
    () => true,
    () => false,
  )
  return isEnabled ? largeFilesIn(app.git.open(project.id), tips, known) : []
}

async function owned(app: App, project_id: number, files: LargeFile[]): Promise<Map<string, LfsObject>> {
  const found = new Map<string, LfsObject>()
  for (let at = 0; at < files.length; at += batch) {
    const oids = files.slice(at, at + batch).map(({ oid }) => oid)
    for (const [oid, object] of await findLargeFiles(app.db, project_id, oids)) found.set(oid, object)
  }
  return found
}

type Actions = Partial<Record<'upload' | 'download' | 'verify', Action>>

/** @returns for how many the remote reported an error */
async function transferAll(
  files: LargeFile[],
  { operation, server, signal }: { operation: 'upload' | 'download' } & Pick<Transfer, 'server' | 'signal'>,
  transfer: (file: LargeFile, actions: Actions) => Promise<void>,
): Promise<number> {
  if (files.length === 0) return 0
  const at = await server(operation)
  let refused = 0
  for (let start = 0; start < files.length; start += batch) {
    const part = files.slice(start, start + batch)
    const answers = await askForActions(at, operation, part, signal)
    if (answers === null) return files.length
    const waiting = part.values()
    const one = async () => {
      for (const file of waiting) {
        const actions = answers.get(file.oid)
        if (actions) await transfer(file, actions)
        else refused += 1
      }
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }
  return refused
}
