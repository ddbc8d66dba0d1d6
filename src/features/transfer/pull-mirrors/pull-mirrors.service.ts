/** Rules of pull mirrors. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { PullMirror, User } from '../../../db/tables.ts'
import { forbidden, invalid } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { regexFilter } from '../../repository/branches/branches.ts'
import { type AuthMethod, acceptAddress, makeKeys, markScheduled, readHostKeys, sealAddress, withCredentials } from '../mirrors/mirrors.ts'
import { pullMirrorJob } from './pull-mirrors.jobs.ts'
import { type PullMirrorSettings, pullMirrorOf, savePullMirror } from './pull-mirrors.queries.ts'

/** Fields that aren't sent are kept. */
export interface SentPullMirror {
  url?: string
  auth_user?: string
  auth_password?: string
  enabled?: boolean
  mirror_trigger_builds?: boolean
  only_mirror_protected_branches?: boolean
  mirror_overwrites_diverged_branches?: boolean
  mirror_branch_regex?: string | null
  auth_method?: AuthMethod
  host_keys?: string[]
}

const table = 'pull_mirrors'

/** Throws 400 if the project has none. */
export async function requirePullMirror(db: Db, project_id: number): Promise<PullMirror> {
  const mirror = await pullMirrorOf(db, project_id)
  if (!mirror) throw invalid('The project is not mirrored')
  return mirror
}

/**
 * Creates or changes the mirror, which acts for this user from now on. Throws 400 for invalid values, 403 if the instance doesn't allow
 * imports by URL.
 */
export async function setPullMirror(app: App, user: Pick<User, 'id'>, project_id: number, sent: SentPullMirror): Promise<PullMirror> {
  if (!(await readSettings(app.db)).import_sources.includes('git')) throw forbidden()
  const before = await pullMirrorOf(app.db, project_id)
  const url = addressOf(sent, before && app.secrets.unseal(before.url, `${table}.url`))
  if (url === null) throw invalid({ url: ["can't be blank"] })
  const auth_method = sent.auth_method ?? before?.auth_method ?? 'password'
  await acceptAddress(app, 'url', url, auth_method)
  const needsKeys = auth_method === 'ssh_public_key' && !before?.private_key
  const settings = { ...accept(before, sent), auth_method, ...(needsKeys && (await makeKeys(app, table))) }
  const isMoved = sent.url !== undefined || sent.auth_user !== undefined || sent.auth_password !== undefined
  const moved = {
    ...(isMoved && { runner: null, running_until: null, failures: 0, last_error: null }),
    // The key of another host is pinned anew.
    ...(sent.url !== undefined && { host_keys: null }),
  }
  const state = { ...moved, ...settings, user_id: user.id, url: sealAddress(app, table, url), next_update_at: new Date().toISOString() }
  return inTransaction(app.db, async (tx) => {
    const mirror = await savePullMirror(tx, project_id, state)
    return mirror.enabled ? schedule(tx, mirror) : mirror
  })
}

/** Fetches as soon as possible. Throws 400 if there is no mirror or it is disabled. */
export async function startPullMirror(app: App, project_id: number): Promise<PullMirror> {
  const mirror = await requirePullMirror(app.db, project_id)
  if (!mirror.enabled) throw invalid('The mirror is disabled')
  return inTransaction(app.db, (tx) => schedule(tx, mirror))
}

async function schedule(tx: Db, mirror: PullMirror): Promise<PullMirror> {
  await markScheduled(tx, table, [mirror.id])
  const asked = mirror.user_id === null ? {} : { asked_by: mirror.user_id }
  await enqueue(tx, pullMirrorJob, { mirror_id: mirror.id }, { ...asked, unique_key: `pull mirror ${mirror.id} now` })
  return mirror.runner === null ? { ...mirror, update_status: 'scheduled' } : mirror
}

/** The URL with its credentials; null if there is none yet. */
function addressOf({ url, ...credentials }: SentPullMirror, before: string | null): string | null {
  const base = url?.trim() ?? before
  return base === null ? null : withCredentials(base, credentials)
}

function accept(before: PullMirror | null, sent: SentPullMirror): PullMirrorSettings {
  const regex = sent.mirror_branch_regex?.trim() || null
  if (regex !== null) regexFilter(regex)
  const only_protected = sent.only_mirror_protected_branches ?? (regex === null ? before?.only_protected_branches : false)
  if (only_protected && regex !== null) throw invalid({ mirror_branch_regex: ['cannot be set together with protected branches'] })
  return {
    ...(sent.enabled !== undefined && { enabled: sent.enabled }),
    ...(sent.mirror_trigger_builds !== undefined && { trigger_builds: sent.mirror_trigger_builds }),
    ...(sent.mirror_overwrites_diverged_branches !== undefined && {
      overwrites_diverged_branches: sent.mirror_overwrites_diverged_branches,
    }),
    ...(only_protected !== undefined && { only_protected_branches: only_protected }),
    ...((sent.mirror_branch_regex !== undefined || only_protected) && { mirror_branch_regex: regex }),
    ...(sent.host_keys !== undefined && { host_keys: readHostKeys(sent.host_keys) }),
  }
}
