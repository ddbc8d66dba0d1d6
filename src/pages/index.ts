/** The list of all pages and actions. */

import { badgePages } from './ci/badges.pages.ts'
import { ciEditorPages } from './ci/editor/editor.pages.ts'
import { environmentPages } from './ci/environments/environments.pages.ts'
import { featureFlagPages } from './ci/feature-flags/feature-flags.pages.ts'
import { artifactPages } from './ci/jobs/artifacts.pages.ts'
import { jobPages } from './ci/jobs/job.pages.ts'
import { pipelinePages } from './ci/pipelines/pipelines.pages.ts'
import { schedulePages } from './ci/schedules/schedules.pages.ts'
import { ciSettingsPages } from './ci/settings/settings.pages.ts'
import { terraformStatePages } from './ci/terraform-states/terraform-states.pages.ts'
import { snippetsPages } from './documents/snippets/snippets.pages.ts'
import { feedPages } from './feeds/feeds.pages.ts'
import type { Page } from './frame/declaration.ts'
import { adminPages } from './instance/admin/admin.pages.ts'
import { appearancePages } from './instance/appearance.pages.ts'
import { choicePages } from './instance/choices.pages.ts'
import { emojiPages } from './instance/emoji.pages.ts'
import { helpPages } from './instance/help/help.pages.ts'
import { homePages } from './instance/help/home.pages.ts'
import { picturePages } from './instance/pictures.pages.ts'
import { serviceAccountPages } from './instance/service-accounts/service-accounts.pages.ts'
import { chatNamePages } from './integrations/chat-names/chat-names.pages.ts'
import { hookPages } from './integrations/hooks/hooks.pages.ts'
import { pushRulePages } from './integrations/push-rules/push-rules.pages.ts'
import { integrationPages } from './integrations/services/services.pages.ts'
import { statusCheckPages } from './integrations/status-checks/status-checks.pages.ts'
import { acceptInvitationPages } from './members/invitations.pages.ts'
import { authorizePages } from './people/oauth/authorize.pages.ts'
import { devicePages } from './people/oauth/device.pages.ts'
import { passwordPages } from './people/password.pages.ts'
import { reportPages } from './people/profile/abuse-report.pages.ts'
import { pinPages } from './people/profile/pins.pages.ts'
import { profilePages } from './people/profile/profile.pages.ts'
import { providerSignInPages } from './people/provider-sign-in.pages.ts'
import { recoveryPages } from './people/recovery/recovery.pages.ts'
import { secondFactorSignInPages } from './people/second-factor-sign-in.pages.ts'
import { settingsPages } from './people/settings/settings.pages.ts'
import { signInPages } from './people/sign-in.pages.ts'
import { signUpPages } from './people/sign-up.pages.ts'
import { termsPages } from './people/terms.pages.ts'
import { unsubscribePages } from './people/unsubscribe.pages.ts'
import { issuesPages } from './planning/issues/issues.pages.ts'
import { planningPages } from './planning/planning.pages.ts'
import { blamePages } from './repository/files/blame.pages.ts'
import { blobPages } from './repository/files/blob.pages.ts'
import { deletePages } from './repository/files/delete.pages.ts'
import { fileEditPages } from './repository/files/edit.pages.ts'
import { entriesPages } from './repository/files/entries.pages.ts'
import { findFilePages } from './repository/files/find-file.pages.ts'
import { newPages } from './repository/files/new.pages.ts'
import { rawPages } from './repository/files/raw.pages.ts'
import { switchPages } from './repository/files/switch.pages.ts'
import { treePages } from './repository/files/tree.pages.ts'
import { commitPages } from './repository/history/commit.pages.ts'
import { commitsPages } from './repository/history/commits.pages.ts'
import { comparePages } from './repository/history/compare.pages.ts'
import { networkPages } from './repository/history/network.pages.ts'
import { refsPages } from './repository/refs/refs.pages.ts'
import { repositorySettingsPages } from './repository/settings/settings.pages.ts'
import { wikiPages } from './repository/wikis/wikis.pages.ts'
import { approvalSettingsPages } from './review/approval-settings/approval-settings.pages.ts'
import { groupApprovalPages } from './review/approval-settings/group-approvals.pages.ts'
import { diffsPages } from './review/diffs/diffs.pages.ts'
import { mergeRequestsPages } from './review/merge-requests/merge-requests.pages.ts'
import { mergeTrainPages } from './review/merge-trains/merge-trains.pages.ts'
import { searchPages } from './search/search.pages.ts'
import { groupsPages } from './spaces/groups/groups.pages.ts'
import { listsPages } from './spaces/lists/lists.pages.ts'
import { projectTokenPages } from './spaces/projects/access-tokens.pages.ts'
import { activityPages } from './spaces/projects/activity.pages.ts'
import { projectEditPages } from './spaces/projects/edit.pages.ts'
import { exportPages } from './spaces/projects/export.pages.ts'
import { forkPages } from './spaces/projects/forks.pages.ts'
import { importPages } from './spaces/projects/import.pages.ts'
import { projectMemberPages } from './spaces/projects/members.pages.ts'
import { newProjectPages } from './spaces/projects/new.pages.ts'
import { projectNotificationPages } from './spaces/projects/notifications.pages.ts'
import { overviewPages } from './spaces/projects/overview.pages.ts'
import { starPages } from './spaces/projects/stars.pages.ts'

/** If several match a URL, the first one is tried first. */
export const pages: Page[] = [
  ...homePages,
  ...choicePages,
  ...emojiPages,
  ...appearancePages,
  ...picturePages,
  ...helpPages,
  ...feedPages,
  ...providerSignInPages,
  ...signInPages,
  ...secondFactorSignInPages,
  ...signUpPages,
  ...passwordPages,
  ...recoveryPages,
  ...termsPages,
  ...authorizePages,
  ...devicePages,
  ...unsubscribePages,
  ...acceptInvitationPages,
  ...listsPages,
  ...searchPages,
  ...settingsPages,
  ...chatNamePages,
  ...adminPages,
  ...hookPages,
  ...integrationPages,
  ...treePages,
  ...blobPages,
  ...rawPages,
  ...blamePages,
  ...entriesPages,
  ...findFilePages,
  ...switchPages,
  // Its URLs have one segment, which is no path of a file, as a branch precedes those.
  ...projectEditPages,
  ...fileEditPages,
  ...newPages,
  ...deletePages,
  ...commitsPages,
  ...commitPages,
  ...comparePages,
  ...wikiPages,
  ...networkPages,
  ...refsPages,
  ...repositorySettingsPages,
  ...pushRulePages,
  ...serviceAccountPages,
  ...statusCheckPages,
  ...issuesPages,
  ...planningPages,
  ...diffsPages,
  ...mergeRequestsPages,
  ...approvalSettingsPages,
  ...groupApprovalPages,
  ...mergeTrainPages,
  ...pipelinePages,
  ...schedulePages,
  ...environmentPages,
  ...featureFlagPages,
  ...terraformStatePages,
  ...ciEditorPages,
  ...ciSettingsPages,
  ...jobPages,
  ...artifactPages,
  ...badgePages,
  ...snippetsPages,
  ...activityPages,
  ...projectMemberPages,
  ...projectNotificationPages,
  ...projectTokenPages,
  ...newProjectPages,
  ...forkPages,
  ...importPages,
  ...exportPages,
  ...starPages,
  ...overviewPages,
  ...groupsPages,
  ...reportPages,
  ...pinPages,
  ...profilePages,
]
