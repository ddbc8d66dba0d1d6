/** The table of contents: every endpoint and every job of the service. Nothing is found by looking into folders. */
import { type Endpoint, section } from '../http/endpoint.ts'
import type { AnyJob } from '../queue/queue.ts'
import { accessRequests } from './access-requests/access-requests.endpoints.ts'
import { accessTokens } from './access-tokens/access-tokens.endpoints.ts'
import { avatars } from './avatars/avatars.endpoints.ts'
import { badges } from './badges/badges.endpoints.ts'
import { branches } from './branches/branches.endpoints.ts'
import { broadcastMessages } from './broadcast-messages/broadcast-messages.endpoints.ts'
import { commitComments } from './commit-comments/commit-comments.endpoints.ts'
import { commitChanges } from './commits/changes.endpoints.ts'
import { commits } from './commits/commits.endpoints.ts'
import { customAttributes } from './custom-attributes/custom-attributes.endpoints.ts'
import { deployKeys } from './deploy-keys/deploy-keys.endpoints.ts'
import { exports } from './exports/exports.endpoints.ts'
import { exportJobs } from './exports/exports.jobs.ts'
import { fileChanges } from './files/changes.endpoints.ts'
import { files } from './files/files.endpoints.ts'
import { forks } from './forks/forks.endpoints.ts'
import { forkJobs } from './forks/forks.jobs.ts'
import { gpgKeys } from './gpg-keys/gpg-keys.endpoints.ts'
import { groupShares } from './group-shares/group-shares.endpoints.ts'
import { groupChanges } from './groups/changes.endpoints.ts'
import { groups } from './groups/groups.endpoints.ts'
import { housekeeping, housekeepingJobs } from './housekeeping/housekeeping.endpoints.ts'
import { importJobs } from './imports/imports.jobs.ts'
import { keys } from './keys/keys.endpoints.ts'
import { keyJobs } from './keys/keys.jobs.ts'
import { lfsJobs } from './lfs/lfs.jobs.ts'
import { markdown } from './markdown/markdown.endpoints.ts'
import { members } from './members/members.endpoints.ts'
import { memberJobs } from './members/members.jobs.ts'
import { namespaces } from './namespaces/namespaces.endpoints.ts'
import { removeObjectsJob } from './objects/objects.jobs.ts'
import { projects } from './projects/projects.endpoints.ts'
import { projectJobs } from './projects/projects.jobs.ts'
import { projectState } from './projects/state.endpoints.ts'
import { protectedRefs } from './protected-refs/protected-refs.endpoints.ts'
import { describePushesJob } from './pushes/pushes.jobs.ts'
import { reconcilePushesJob } from './pushes/reconcile.ts'
import { archives } from './repository/archive.endpoints.ts'
import { comparisons } from './repository/compare.endpoints.ts'
import { repositoryFacts, repositoryFactsJobs } from './repository/facts.endpoints.ts'
import { repository } from './repository/repository.endpoints.ts'
import { sessionJobs } from './sessions/sessions.jobs.ts'
import { settings } from './settings/settings.endpoints.ts'
import { snapshots } from './snapshots/snapshots.endpoints.ts'
import { statuses } from './statuses/statuses.endpoints.ts'
import { tags } from './tags/tags.endpoints.ts'
import { templates } from './templates/templates.endpoints.ts'
import { uploads } from './uploads/uploads.endpoints.ts'
import { userActivities } from './users/activities.endpoints.ts'
import { avatarByEmail } from './users/avatar.endpoints.ts'
import { userChanges } from './users/changes.endpoints.ts'
import { emails } from './users/emails.endpoints.ts'
import { userStatus } from './users/status.endpoints.ts'
import { users } from './users/users.endpoints.ts'
import { version } from './version/version.endpoints.ts'

export const endpoints: Endpoint[] = [
  ...section('Version', version),
  ...section('Users', users, avatarByEmail, userChanges, userStatus, emails, userActivities),
  ...section('Access tokens', accessTokens),
  ...section('GPG keys', gpgKeys),
  ...section('SSH keys', keys),
  ...section('Namespaces', namespaces),
  ...section('Groups', groups, groupChanges),
  ...section('Projects', projects, projectState, groupShares, uploads, avatars),
  ...section('Forks', forks),
  ...section('Export and import', exports, snapshots),
  ...section('Members', members),
  ...section('Access requests', accessRequests),
  ...section('Badges', badges),
  ...section('Custom attributes', customAttributes),
  ...section('Repository', repository, archives, comparisons, repositoryFacts, housekeeping),
  ...section('Files', files, fileChanges),
  ...section('Commits', commits, commitChanges, commitComments, statuses),
  ...section('Branches', branches),
  ...section('Protected refs', protectedRefs),
  ...section('Deploy keys', deployKeys),
  ...section('Tags and releases', tags),
  ...section('Settings', settings),
  ...section('Broadcast messages', broadcastMessages),
  ...section('Templates', templates),
  ...section('Markdown', markdown),
]

export const jobs: AnyJob[] = [
  ...projectJobs,
  describePushesJob,
  reconcilePushesJob,
  ...repositoryFactsJobs,
  ...housekeepingJobs,
  ...keyJobs,
  removeObjectsJob,
  ...lfsJobs,
  ...memberJobs,
  ...forkJobs,
  ...importJobs,
  ...exportJobs,
  ...sessionJobs,
]
