/** A push mirror as JSON, without its credentials. */
import type { App } from '../../../app.ts'
import type { PushMirror } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { hostFingerprints, maskedAddress } from '../mirrors/mirrors.ts'
import type { RemoteMirror } from './push-mirrors.schema.ts'

export function presentPushMirror(app: App, mirror: PushMirror): Presented<typeof RemoteMirror> {
  return {
    id: mirror.id,
    enabled: mirror.enabled,
    url: maskedAddress(app, 'push_mirrors', mirror),
    update_status: mirror.update_status,
    last_update_at: mirror.last_update_at,
    last_update_started_at: mirror.last_update_started_at,
    last_successful_update_at: mirror.last_successful_update_at,
    last_error: mirror.last_error,
    only_protected_branches: mirror.only_protected_branches,
    keep_divergent_refs: mirror.keep_divergent_refs,
    mirror_branch_regex: mirror.mirror_branch_regex,
    auth_method: mirror.auth_method,
    host_keys: hostFingerprints(mirror.host_keys),
  }
}
