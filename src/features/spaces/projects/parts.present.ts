/** Parts of a project's full form: its owner, its URLs, the viewer's own membership, and the settings of its queue of merge requests. */
import { isOn } from '../../../access/features.ts'
import type { LocatedProject } from '../../../access/find.ts'
import { apiUrl, pageUrl } from '../../../addresses/links.ts'
import { userAddress } from '../../../addresses/places.ts'
import type { Config } from '../../../config.ts'
import type { Project } from '../../../db/tables.ts'
import { stateOf } from '../../people/users/users.ts'
import { userAvatarUrl } from '../../storage/avatars/avatars.ts'
import { levelNumbers, unchosen } from '../notification-settings/notification-settings.ts'
import type { Owner, OwnLevel } from './details.queries.ts'

export function presentOwner(config: Config, owner: Owner) {
  const { id, name, username, created_at } = owner
  return {
    id,
    name,
    username,
    state: stateOf(owner),
    avatar_url: userAvatarUrl(config, owner),
    web_url: pageUrl(config, userAddress(username)),
    created_at,
  }
}

export function presentLinks(config: Config, { id, merge_requests_access_level }: LocatedProject, hasIssues: boolean) {
  const self = apiUrl(config, `projects/${id}`)
  return {
    self,
    issues: hasIssues ? `${self}/issues` : undefined,
    merge_requests: isOn(merge_requests_access_level) ? `${self}/merge_requests` : undefined,
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
  }
}

/** The viewer's own membership in a project or its group; null without one. */
export function presentAccess(own: OwnLevel | undefined) {
  if (!own) return null
  return { access_level: own.access_level, notification_level: levelNumbers[own.notification_level ?? unchosen.place.level] }
}

/** The settings of its queue of merge requests, and of pipelines that build the result of merging. */
export function mergeTrainSettingsOf(project: Project) {
  return {
    merge_pipelines_enabled: project.merge_pipelines_enabled,
    merge_trains_enabled: project.merge_trains_enabled,
    merge_trains_skip_train_allowed: project.merge_trains_skip_train_allowed,
    max_pipelines_per_merge_train: project.max_pipelines_per_merge_train,
    merge_train_batch_size: project.merge_train_batch_size,
  }
}
