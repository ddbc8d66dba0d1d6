/** The pages of merge requests: of projects, of groups, of one's dashboard. */
import type { Page } from '../../frame/declaration.ts'
import { emojiPages } from '../../planning/discussion/emoji.pages.ts'
import { requestCommitPages } from './commits.pages.ts'
import { requestDetailPages } from './details.pages.ts'
import { editRequestPages } from './edit.pages.ts'
import { requestListPages } from './listing.ts'
import { mergePages } from './merge.pages.ts'
import { requestPages } from './merge-request.pages.ts'
import { newRequestPages } from './new.pages.ts'
import { requestNotePages } from './notes.pages.ts'

export const requestsPages: Page[] = [
  ...requestListPages,
  ...newRequestPages,
  ...editRequestPages,
  ...requestDetailPages,
  ...mergePages,
  ...emojiPages('merge_requests'),
  ...requestNotePages,
  ...requestCommitPages,
  ...requestPages,
]
