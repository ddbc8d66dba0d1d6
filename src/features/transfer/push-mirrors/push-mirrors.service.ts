/** Rules of push mirrors. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { PushMirror, User } from '../../../db/tables.ts'
import { invalid, missing } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { regexFilter } from '../../repository/branches/branches.ts'
import { type AuthMethod, acceptAddress, makeKeys, markScheduled, readHostKeys, sealAddress, withCredentials } from '../mirrors/mirrors.ts'
import { pushMirrorJob } from './push-mirrors.jobs.ts'
import { countPushMirrors, insertPushMirror, type PushMirrorSettings, pushMirrorIn, updatePushMirror } from './push-mirrors.queries.ts'

/** Fields that aren't sent are kept. */
export interface SentMirror {
  url?: string
  /** In place of the credentials in the URL. */
  auth_user?: string
  auth_password?: string
  enabled?: boolean
  only_protected_branches?: boolean
  keep_divergent_refs?: boolean
  mirror_branch_regex?: string | null
  auth_method?: AuthMethod
  host_keys?: string[]
}

/** Each push is sent to all of them. */
const maxMirrors = 10

const table = 'push_mirrors'

/** Throws 404 if it belongs to another project. */
export async function findPushMirror(db: Db, project_id: number, id: number): Promise<PushMirror> {
  const mirror = await pushMirrorIn(db, project_id, id)
  if (!mirror) throw missing()
  return mirror
}

/** If it is enabled, it is updated at once. Throws 400 for invalid values, and if there are too many. */
export async function createPushMirror(
  app: App,
  user: Pick<User, 'id'>,
  project_id: number,
  sent: SentMirror & { url: string },
): Promise<PushMirror> {
  const { url = '', ...settings } = await accept(app, null, sent)
  if ((await countPushMirrors(app.db, project_id)) >= maxMirrors) throw invalid(`Maximum number of mirrors (${maxMirrors}) exceeded`)
  return inTransaction(app.db, async (tx) => {
    const mirror = await insertPushMirror(tx, { ...settings, project_id, user_id: user.id, url })
    return mirror.enabled ? schedule(tx, mirror) : mirror
  })
}

/**
 * From now on, the mirror acts for this user. Throws 400 for invalid values, 404 if it has been removed. A change of the URL ends a run
 * under way.
 */
export async function changePushMirror(app: App, user: Pick<User, 'id'>, mirror: PushMirror, sent: SentMirror): Promise<PushMirror> {
  const settings = await accept(app, mirror, sent)
  const moved = {
    ...(settings.url !== undefined && { runner: null, running_until: null, failures: 0, last_error: null }),
    // The key of another host is pinned anew.
    ...(sent.url !== undefined && { host_keys: null }),
  }
  return inTransaction(app.db, async (tx) => {
    const changed = await updatePushMirror(tx, mirror.id, { ...moved, ...settings, user_id: user.id })
    if (!changed) throw missing()
    return changed.enabled ? schedule(tx, changed) : changed
  })
}

/** Runs it as soon as possible, even if it waits after a failure. Throws 400 if it is disabled. */
export async function syncPushMirror(app: App, mirror: PushMirror): Promise<void> {
  if (!mirror.enabled) throw invalid('The mirror is disabled')
  await inTransaction(app.db, (tx) => schedule(tx, mirror))
}

async function schedule(tx: Db, mirror: PushMirror): Promise<PushMirror> {
  await markScheduled(tx, table, [mirror.id])
  const asked = mirror.user_id === null ? {} : { asked_by: mirror.user_id }
  await enqueue(tx, pushMirrorJob, { mirror_id: mirror.id }, { ...asked, unique_key: `push mirror ${mirror.id} now` })
  return mirror.runner === null ? { ...mirror, update_status: 'scheduled' } : mirror
}

async function accept(app: App, mirror: PushMirror | null, sent: SentMirror): Promise<PushMirrorSettings> {
  const { url, auth_user, auth_password, host_keys, mirror_branch_regex: _, ...flags } = sent
  const auth_method = sent.auth_method ?? mirror?.auth_method ?? 'password'
  const base = url ?? (mirror && app.secrets.unseal(mirror.url, `${table}.url`))
  const address = base === null ? null : withCredentials(base, { auth_user, auth_password })
  const isNew = url !== undefined || auth_user !== undefined || auth_password !== undefined
  if (address !== null && (isNew || sent.auth_method !== undefined)) await acceptAddress(app, 'url', address, auth_method)
  const needsKeys = auth_method === 'ssh_public_key' && !mirror?.private_key
  return {
    ...flags,
    ...acceptSelection(mirror, sent),
    ...(isNew && address !== null && { url: sealAddress(app, table, address) }),
    ...(host_keys !== undefined && { host_keys: readHostKeys(host_keys) }),
    ...(needsKeys && (await makeKeys(app, table))),
  }
}

/** Which branches are mirrored: a regular expression takes the place of the protected ones. */
function acceptSelection(mirror: PushMirror | null, sent: SentMirror): PushMirrorSettings {
  const regex = sent.mirror_branch_regex?.trim() || null
  if (regex !== null) regexFilter(regex)
  const only_protected = sent.only_protected_branches ?? (regex === null ? mirror?.only_protected_branches : false)
  if (only_protected && regex !== null) throw invalid({ mirror_branch_regex: ['cannot be set together with only_protected_branches'] })
  return {
    ...(only_protected !== undefined && { only_protected_branches: only_protected }),
    ...((sent.mirror_branch_regex !== undefined || only_protected) && { mirror_branch_regex: regex }),
  }
}
