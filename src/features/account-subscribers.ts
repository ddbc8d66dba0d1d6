/** Reactions to changes of user accounts, in the order in which they run. */
import { enqueued, inSameTransaction, type Subscribers } from '../domain-events/domain-events.ts'
import { dropJobsOfUser } from './ci/processing/processing.jobs.ts'
import { leaveStatusesToGhost } from './ci/statuses/statuses.subscribers.ts'
import { leavePlanningToGhost } from './commands/user-deletion/planning.subscribers.ts'
import { leaveActivityToGhost } from './discussion/activity/activity.subscribers.ts'
import { leaveSnippetCommentsToGhost } from './discussion/snippet-comments/snippet-comments.subscribers.ts'
import { leaveReleasesToGhost } from './documents/releases/releases.subscribers.ts'
import { forgetResets, forgetTokens, forgetTokensOfAddress } from './people/account-tokens/account-tokens.subscribers.ts'
import { authorizedKeysJob } from './people/keys/keys.jobs.ts'
import { removeKeys } from './people/keys/keys.subscribers.ts'
import { revokeGrants } from './people/oauth/oauth.subscribers.ts'
import { endPendingSignIns } from './people/second-factor/second-factor.subscribers.ts'
import { endOtherSessions, endSessions, endSessionsBefore } from './people/sessions/sessions.subscribers.ts'
import { leavePushesToGhost } from './repository/pushes/pushes.subscribers.ts'
import { leavePendingToGhost } from './review/versions/versions.subscribers.ts'
import { removeSnippetsOf } from './snippets/snippets.subscribers.ts'
import { syncNewUser } from './spaces/directory-sync/directory-sync.subscribers.ts'
import { leaveProjectsToGhost, removeStars } from './spaces/projects/projects.subscribers.ts'
import { leaveUploadsToGhost } from './spaces/uploads/uploads.subscribers.ts'

export const accountSubscribers: Subscribers = {
  user_created: [inSameTransaction(syncNewUser)],
  user_blocked: [
    inSameTransaction(endSessions),
    inSameTransaction(endPendingSignIns),
    inSameTransaction(revokeGrants),
    inSameTransaction(forgetTokens),
    enqueued(dropJobsOfUser, ({ user_id }) => ({ user_id })),
  ],
  administrator_changed: [inSameTransaction(endSessionsBefore)],
  second_factor_enabled: [inSameTransaction(endOtherSessions)],
  user_password_changed: [inSameTransaction(endOtherSessions), inSameTransaction(endPendingSignIns), inSameTransaction(forgetResets)],
  user_email_changed: [inSameTransaction(forgetTokensOfAddress)],
  user_deletion_started: [inSameTransaction(removeStars)],
  user_deleted: [
    // The user may have starred another project until the row was locked.
    inSameTransaction(removeStars),
    inSameTransaction(leavePushesToGhost),
    inSameTransaction(leavePendingToGhost),
    inSameTransaction(leaveActivityToGhost),
    inSameTransaction(leavePlanningToGhost),
    inSameTransaction(removeSnippetsOf),
    inSameTransaction(leaveSnippetCommentsToGhost),
    inSameTransaction(leaveStatusesToGhost),
    inSameTransaction(leaveReleasesToGhost),
    inSameTransaction(leaveProjectsToGhost),
    inSameTransaction(leaveUploadsToGhost),
    inSameTransaction(removeKeys),
    enqueued(authorizedKeysJob, () => ({})),
  ],
}
