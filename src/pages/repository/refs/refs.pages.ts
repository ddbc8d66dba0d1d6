/** Branches, tags, releases, graphs and archives: all pages about refs. */
import type { Page } from '../../frame/declaration.ts'
import { archivePage } from './archive.pages.ts'
import { branchFormPages } from './branch-forms.pages.ts'
import { branchListPages } from './branches.pages.ts'
import { graphPages } from './graphs.pages.ts'
import { releaseFormPages } from './release-forms.pages.ts'
import { releaseLinkPages } from './release-links.pages.ts'
import { releaseListPage, releasePage } from './releases.pages.ts'
import { tagFormPages } from './tag-forms.pages.ts'
import { tagPage, tagPages } from './tags.pages.ts'

/** The first match counts: pages with fixed words come before those that take the rest of a URL as a name. */
export const refsPages: Page[] = [
  ...branchFormPages,
  ...branchListPages,
  ...tagFormPages,
  ...tagPages,
  tagPage,
  ...releaseFormPages,
  ...releaseLinkPages,
  releaseListPage,
  releasePage,
  ...graphPages,
  archivePage,
]
