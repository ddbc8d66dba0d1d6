/** The table of contents: every page and action. */
import type { Page } from './frame/declaration.ts'
import { homePages } from './instance/home.pages.ts'
import { passwordPages } from './people/password.pages.ts'
import { profilePages } from './people/profile.pages.ts'
import { signInPages } from './people/sign-in.pages.ts'
import { signUpPages } from './people/sign-up.pages.ts'
import { termsPages } from './people/terms.pages.ts'
import { blamePages } from './repository/files/blame.pages.ts'
import { blobPages } from './repository/files/blob.pages.ts'
import { deletePages } from './repository/files/delete.pages.ts'
import { editPages } from './repository/files/edit.pages.ts'
import { findFilePages } from './repository/files/find-file.pages.ts'
import { newPages } from './repository/files/new.pages.ts'
import { rawPages } from './repository/files/raw.pages.ts'
import { switchPages } from './repository/files/switch.pages.ts'
import { treePages } from './repository/files/tree.pages.ts'
import { commitPages } from './repository/history/commit.pages.ts'
import { commitsPages } from './repository/history/commits.pages.ts'
import { projectPages } from './repository/project.pages.ts'
import { refsPages } from './repository/refs/refs.pages.ts'
import { explorePages } from './spaces/explore.pages.ts'
import { groupPages } from './spaces/group.pages.ts'
import { projectTokenPages } from './spaces/projects/access-tokens.pages.ts'
import { activityPages } from './spaces/projects/activity.pages.ts'
import { projectMemberPages } from './spaces/projects/members.pages.ts'

/** In this order they are tried where several fit an address. */
export const pages: Page[] = [
  ...homePages,
  ...signInPages,
  ...signUpPages,
  ...passwordPages,
  ...termsPages,
  ...explorePages,
  ...treePages,
  ...blobPages,
  ...rawPages,
  ...blamePages,
  ...findFilePages,
  ...switchPages,
  ...editPages,
  ...newPages,
  ...deletePages,
  ...commitsPages,
  ...commitPages,
  ...refsPages,
  ...activityPages,
  ...projectMemberPages,
  ...projectTokenPages,
  ...projectPages,
  ...groupPages,
  ...profilePages,
]
