/** The table of contents: every page and action. */

import { feedPages } from './feeds/feeds.pages.ts'
import type { Page } from './frame/declaration.ts'
import { adminPages } from './instance/admin/admin.pages.ts'
import { helpPages } from './instance/help/help.pages.ts'
import { homePages } from './instance/help/home.pages.ts'
import { themePages } from './instance/theme.pages.ts'
import { passwordPages } from './people/password.pages.ts'
import { profilePages } from './people/profile/profile.pages.ts'
import { settingsPages } from './people/settings/settings.pages.ts'
import { signInPages } from './people/sign-in.pages.ts'
import { signUpPages } from './people/sign-up.pages.ts'
import { termsPages } from './people/terms.pages.ts'
import { blobPages } from './repository/files/blob.pages.ts'
import { treePages } from './repository/files/tree.pages.ts'
import { commitPages } from './repository/history/commit.pages.ts'
import { commitsPages } from './repository/history/commits.pages.ts'
import { comparePages } from './repository/history/compare.pages.ts'
import { networkPages } from './repository/history/network.pages.ts'
import { projectPages } from './repository/project.pages.ts'
import { refsPages } from './repository/refs/refs.pages.ts'
import { repositorySettingsPages } from './repository/settings/settings.pages.ts'
import { groupsPages } from './spaces/groups/groups.pages.ts'
import { listsPages } from './spaces/lists/lists.pages.ts'
import { projectTokenPages } from './spaces/projects/access-tokens.pages.ts'
import { activityPages } from './spaces/projects/activity.pages.ts'
import { projectMemberPages } from './spaces/projects/members.pages.ts'

/** In this order they are tried where several fit an address. */
export const pages: Page[] = [
  ...homePages,
  ...themePages,
  ...helpPages,
  ...feedPages,
  ...signInPages,
  ...signUpPages,
  ...passwordPages,
  ...termsPages,
  ...listsPages,
  ...settingsPages,
  ...adminPages,
  ...treePages,
  ...blobPages,
  ...commitsPages,
  ...commitPages,
  ...comparePages,
  ...networkPages,
  ...refsPages,
  ...repositorySettingsPages,
  ...activityPages,
  ...projectMemberPages,
  ...projectTokenPages,
  ...projectPages,
  ...groupsPages,
  ...profilePages,
]
