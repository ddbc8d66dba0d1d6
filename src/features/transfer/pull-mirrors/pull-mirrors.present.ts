/** A pull mirror as JSON, without its credentials. */
import type { App } from '../../../app.ts'
import type { PullMirror as PullMirrorRow } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { hostFingerprints, maskedAddress } from '../mirrors/mirrors.ts'
import type { PullMirror } from './pull-mirrors.schema.ts'

export function presentPullMirror(app: App, mirror: PullMirrorRow): Presented<typeof PullMirror> {
  return {
    id: mirror.id,
    enabled: mirror.enabled,
    url: maskedAddress(app, 'pull_mirrors', mirror),
    update_status: mirror.update_status,
    last_update_at: mirror.last_update_at,
    last_update_started_at: mirror.last_update_started_at,
    last_successful_update_at: mirror.last_successful_update_at,
    last_error: mirror.last_error,
    mirror_trigger_builds: mirror.trigger_builds,
    only_mirror_protected_branches: mirror.only_protected_branches,
    mirror_overwrites_diverged_branches: mirror.overwrites_diverged_branches,
    mirror_branch_regex: mirror.mirror_branch_regex,
    auth_method: mirror.auth_method,
    host_keys: hostFingerprints(mirror.host_keys),
  }
}
